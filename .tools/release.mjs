// Packs every package as it would be published, and checks the tarballs as a stranger would meet them.
import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { environment, node, pnpmArguments, root } from './install.mjs'
import { packageFolders } from './package-folders.mjs'

const tarballs = path.join(root, '.reports', 'tarballs')
const project = path.join(root, '.reports', 'empty-project')

run('knip', ['knip'])
pack()
for (const file of readdirSync(tarballs)) lint(path.join(tarballs, file))
for (const resolution of ['nodenext', 'bundler']) typecheckExample(resolution)

function pack() {
  rmSync(tarballs, { recursive: true, force: true })
  mkdirSync(tarballs, { recursive: true })
  for (const folder of packageFolders()) pnpm(['pack', '--pack-destination', tarballs], folder)
}

function lint(tarball) {
  run(`publint ${path.basename(tarball)}`, ['publint', 'run', tarball, '--strict'])
  run(`attw ${path.basename(tarball)}`, ['attw', tarball, '--profile', 'esm-only', '--format', 'ascii'])
}

/** Where the tarballs are installed and nothing else is: compiles what strangers write, and runs the README's example. */
function typecheckExample(resolution) {
  if (resolution === 'nodenext') createProject()
  const module = resolution === 'bundler' ? 'preserve' : 'nodenext'
  const compilerOptions = {
    target: 'es2024',
    lib: ['es2024', 'esnext.disposable', 'dom'],
    module,
    moduleResolution: resolution,
    types: ['node'],
    strict: true,
    noEmit: true,
    skipLibCheck: false,
  }
  writeFileSync(path.join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*.ts'] }))
  exec(node, [path.join(root, 'node_modules/typescript/bin/tsc'), '-p', project], project)
  exec(node, [path.join(project, 'example.ts')], project)
  process.stdout.write(`ok   the README example with the tarballs under ${resolution}\n`)
}

function createProject() {
  rmSync(project, { recursive: true, force: true })
  mkdirSync(project, { recursive: true })
  const files = readdirSync(tarballs).map((file) => [
    file.replace(/-\d.*$/, ''),
    `file:${path.join(tarballs, file)}`,
  ])
  const dependencies = Object.fromEntries(files)
  const manifest = {
    name: 'empty',
    private: true,
    type: 'module',
    dependencies: { ...dependencies, '@types/node': '*' },
  }
  writeFileSync(path.join(project, 'package.json'), JSON.stringify(manifest))
  // The packages depend on each other by version, which no registry has yet.
  const overrides = files.map(([name, file]) => `  ${name}: '${file}'`).join('\n')
  writeFileSync(path.join(project, 'pnpm-workspace.yaml'), `packages: []\noverrides:\n${overrides}\n`)
  writeFileSync(path.join(project, 'example.ts'), readmeExample())
  cpSync(path.join(root, '.tools/tests/consumer/consumer.ts'), path.join(project, 'consumer.ts'))
  pnpm(['install', '--prefer-offline', '--ignore-scripts'], project)
}

function readmeExample() {
  return /^```ts\n([\s\S]*?)^```$/m.exec(readFileSync(path.join(root, 'README.md'), 'utf8'))[1]
}

function pnpm(args, cwd) {
  exec('npx', pnpmArguments(args), cwd)
}

function run(name, [tool, ...args]) {
  exec(path.join(root, 'node_modules', '.bin', tool), args, root)
  process.stdout.write(`ok   ${name}\n`)
}

function exec(command, args, cwd) {
  try {
    execFileSync(command, args, {
      cwd,
      env: environment(),
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    })
  } catch (error) {
    process.stdout.write(`FAIL ${command} ${args.join(' ')}\n${error.stdout}${error.stderr}\n`)
    process.exit(1)
  }
}

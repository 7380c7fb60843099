// Plain JavaScript for Node 20: this runs before anything is installed.
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import path from 'node:path'

export const root = fileURLToPath(new URL('..', import.meta.url))
const bin = path.join(root, 'node_modules', '.bin')
/** The Node that the project is written for; the host's may be older. */
export const node = path.join(bin, 'node')

const stamp = path.join(root, 'node_modules', '.dsh-installed')
const { pnpm } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')).config

function fingerprint() {
  const hash = createHash('sha256')
  for (const file of ['pnpm-lock.yaml', 'pnpm-workspace.yaml', 'package.json']) {
    hash.update(readFileSync(path.join(root, file)))
  }
  return hash.digest('hex')
}

/** Installs from the lock file, unless it is unchanged since the last install. Exits the process when it fails. */
export function install() {
  const wanted = fingerprint()
  if (existsSync(stamp) && existsSync(node) && readFileSync(stamp, 'utf8') === wanted) return
  process.stderr.write('Installing dependencies from the lock file…\n')
  const args = pnpmArguments(['install', '--frozen-lockfile', '--reporter=append-only'])
  const result = spawnSync('npx', args, {
    cwd: root,
    stdio: ['ignore', 2, 2],
    shell: process.platform === 'win32',
  })
  if (result.status !== 0) {
    process.stderr.write(`Install failed (exit ${result.status ?? result.signal}); its messages stand above.\n`)
    process.exit(1)
  }
  writeFileSync(stamp, wanted)
}

/** Arguments for `npx` that run the pinned pnpm. */
export function pnpmArguments(args) {
  return ['--yes', `pnpm@${pnpm}`, ...args]
}

/** The environment for a child process: the project's own tools come first on PATH. */
export function environment() {
  return { ...process.env, PATH: `${bin}${path.delimiter}${process.env.PATH ?? ''}` }
}

// `pnpm check`: everything that must hold before a change lands, in the order that fails fastest.
import { spawnSync } from 'node:child_process'
import { environment, root } from './install.mjs'

const steps = [
  ['format', 'oxfmt --check'],
  ['types', 'tsc --noEmit'],
  ['lint', 'oxlint --type-aware --deny-warnings'],
  ['build', 'node .tools/build.mjs && tsc -b packages/core/* packages/llm/*'],
  ['release', 'node .tools/release.mjs'],
  ['tests', 'vitest run --coverage --silent=passed-only'],
]

for (const [name, command] of steps) {
  const started = performance.now()
  const { status } = spawnSync(command, { cwd: root, stdio: 'inherit', shell: true, env: environment() })
  const seconds = ((performance.now() - started) / 1000).toFixed(1)
  process.stdout.write(`${status === 0 ? 'ok  ' : 'FAIL'} ${name} (${seconds} s)\n`)
  if (status !== 0) process.exit(1)
}

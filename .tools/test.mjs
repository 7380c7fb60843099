// `npm test`: installs, runs every test once, and ends with one plain line counted from the report.
import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync } from 'node:fs'
import path from 'node:path'
import { environment, install, node, root } from './install.mjs'

install()
const report = path.join(root, '.reports', 'tests.json')
rmSync(report, { force: true })
mkdirSync(path.dirname(report), { recursive: true })

const args = [
  'run',
  '--reporter=default',
  '--reporter=json',
  `--outputFile.json=${report}`,
  ...process.argv.slice(2),
]
const vitest = path.join(root, 'node_modules/vitest/vitest.mjs')
const run = spawnSync(node, [vitest, ...args], { cwd: root, stdio: ['ignore', 1, 2], env: environment() })

const { passed, failed } = count(run.status === 0)
process.stdout.write(`\n${passed} passed, ${failed} failed\n`)
process.exitCode = failed === 0 ? 0 : 1

function count(exitedWell) {
  let results
  try {
    results = JSON.parse(readFileSync(report, 'utf8'))
  } catch {
    return { passed: 0, failed: 1 }
  }
  // A file that cannot be imported has no tests of its own in the report, yet it failed.
  const broken = results.testResults.filter(
    (f) => f.status === 'failed' && f.assertionResults.length === 0,
  ).length
  const counted = results.numFailedTests + broken
  const silent = !exitedWell || results.numPassedTests === 0
  return { passed: results.numPassedTests, failed: counted === 0 && silent ? 1 : counted }
}

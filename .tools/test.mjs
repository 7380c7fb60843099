// `npm test`: installs, runs every test once, and ends with one plain line counted from the report.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import path from 'node:path'
import { environment, install, node, root } from './install.mjs'

install()
const report = path.join(root, '.reports', 'tests.json')
// Test files of handed cases leave their shares here; the cases themselves stand outside the repository, if at all.
const shares = path.join(root, '.reports', 'cases')
const handedCases = path.join(root, '..', 'shared', 'cases', 'cases.jsonl')
rmSync(report, { force: true })
rmSync(shares, { recursive: true, force: true })
mkdirSync(shares, { recursive: true })

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
process.stdout.write(`\nHanded cases: ${countHandedCases()}\n${passed} passed, ${failed} failed\n`)
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

/** Each case counts once, and as failed if any file says so. Runs on the host's Node, which may be 20. */
function countHandedCases() {
  if (!existsSync(handedCases)) return 'not present, skipped'
  const all = readFileSync(handedCases, 'utf8').trim().split('\n').length
  const outcomes = new Map()
  for (const name of readdirSync(shares)) {
    const { passed, failed } = readShare(name)
    for (const id of passed) if (!outcomes.has(id)) outcomes.set(id, true)
    for (const id of failed) outcomes.set(id, false)
  }
  const good = [...outcomes.values()].filter(Boolean).length
  return `${outcomes.size} of ${all} run, ${good} passed`
}

/** A share that was cut short says nothing; its test file has failed anyway. */
function readShare(name) {
  try {
    return JSON.parse(readFileSync(path.join(shares, name), 'utf8'))
  } catch {
    return { passed: [], failed: [] }
  }
}

import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'

/** A fault from the field as it was handed over; `input` has a form for each of its kinds. */
export interface HandedCase<Input> {
  readonly id: string
  readonly area: string
  readonly symptom: string
  readonly input: Input
}

// Kept outside the repository; the kinds the cases stand for have tests of their own here.
const file = new URL('../../../shared/cases/cases.jsonl', import.meta.url)
const reports = new URL('../../.reports/cases/', import.meta.url)

/** All of them, or none where the file is absent. */
export function readHandedCases<Input>(): readonly HandedCase<Input>[] {
  if (!existsSync(file)) return []
  return readFileSync(file, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
}

/** What became of the handed cases of one test file. */
export class HandedCaseLog {
  readonly #passed = new Map<string, boolean>()

  /** Runs one check of a case, which has passed if all its checks did. */
  async check(id: string, run: () => unknown): Promise<void> {
    const passedSoFar = this.#passed.get(id) ?? true
    this.#passed.set(id, false)
    await run()
    this.#passed.set(id, passedSoFar)
  }

  /** Leaves the share of a package's test file in the report that `npm test` prints; none where the cases are absent. */
  write(packageName: string, name: string): void {
    const ids = readHandedCases<unknown>().flatMap(({ id }) => (this.#passed.has(id) ? [id] : []))
    if (ids.length === 0) return
    const share = {
      passed: ids.filter((id) => this.#passed.get(id) === true),
      failed: ids.filter((id) => this.#passed.get(id) === false),
    }
    mkdirSync(reports, { recursive: true })
    writeFileSync(new URL(`${packageName}-${name}.json`, reports), JSON.stringify(share))
  }
}

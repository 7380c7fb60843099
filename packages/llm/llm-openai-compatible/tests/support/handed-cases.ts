import { existsSync, readFileSync } from 'node:fs'

/** A fault from the field as it was handed over; `input` has a form for each of its kinds. */
export interface HandedCase<Input> {
  readonly id: string
  readonly area: string
  readonly symptom: string
  readonly input: Input
}

// Kept outside the repository; the kinds the cases stand for have tests of their own here.
const file = new URL('../../../../../../shared/cases/cases.jsonl', import.meta.url)

/** All of them, or none where the file is absent. */
export function readHandedCases<Input>(): readonly HandedCase<Input>[] {
  if (!existsSync(file)) return []
  return readFileSync(file, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
}

/** Tells how many of the handed cases a suite has run and passed, by area. */
export function reportHandedCases(suite: string, ids: Iterable<string>, passed: ReadonlySet<string>): void {
  const all = readHandedCases<unknown>()
  const run = all.filter(({ id }) => new Set(ids).has(id))
  const byArea = Object.entries(Object.groupBy(run, ({ area }) => area)).map(
    ([area, cases = []]) => `${area} ${cases.filter(({ id }) => passed.has(id)).length}/${cases.length}`,
  )
  const ok = run.filter(({ id }) => passed.has(id)).length
  console.info(
    `Handed ${suite} cases: ${ok} of ${run.length} passed (${byArea.join(', ')}); ${all.length} are present`,
  )
}

import type { NeutralAnswer, NeutralUsage } from '../../wire/neutral-answer.ts'
import { quote } from '../../stream/describe-chunk.ts'
import type { CheckDefinition } from '../contract-check.ts'
import { must } from '../contract-rules.ts'
import type { ContractFeature } from '../contract-setup.ts'

interface UsageCase {
  readonly name: string
  readonly usage: NeutralUsage
  readonly needs: readonly ContractFeature[]
  /** What is answered; a text by default. */
  readonly answer?: NeutralAnswer
}

const cases: readonly UsageCase[] = [
  { name: 'counts input and output', usage: { inputTokens: 12, outputTokens: 9 }, needs: [] },
  {
    name: 'counts cached input apart from the rest',
    usage: { inputTokens: 12, cacheReadTokens: 128, outputTokens: 9 },
    needs: ['cache-usage'],
  },
  {
    name: 'counts input that was written to a cache apart',
    usage: { inputTokens: 12, cacheReadTokens: 128, cacheWriteTokens: 64, outputTokens: 9 },
    needs: ['cache-usage', 'cache-write-usage'],
  },
  {
    name: 'counts reasoning as a part of output',
    usage: { inputTokens: 12, outputTokens: 9, reasoningTokens: 7 },
    needs: ['reasoning-usage'],
  },
  {
    name: 'counts an input that was cached wholly',
    usage: { inputTokens: 0, cacheReadTokens: 128, outputTokens: 1 },
    needs: ['cache-usage'],
  },
  {
    name: 'counts what a call cost',
    usage: { inputTokens: 5, outputTokens: 3 },
    needs: ['calls'],
    answer: { calls: [{ name: 'time', arguments: '{}' }] },
  },
]

export const usageChecks: readonly CheckDefinition[] = [
  ...cases.map(({ name, usage, needs, answer = { text: 'Hi' } }): CheckDefinition => ({
    name,
    rule: 'A4',
    needs: ['usage', ...needs],
    async run(stage) {
      const run = await stage.run(await stage.play([{ ...answer, usage }]))
      run.assertGrammar()
      must(
        isSame(run.usage, usage),
        'A4',
        () => `the usage is ${quote(run.usage)}, the wire said ${quote(usage)}`,
      )
    },
  })),
  {
    name: 'makes up no usage',
    rule: 'A4',
    async run(stage) {
      const { usage = {} } = await stage.run(await stage.play([{ text: 'Hi' }]))
      must(isSame(usage, {}), 'A4', () => `the usage is ${quote(usage)}, the wire said nothing of it`)
    },
  },
]

/** Absent and `undefined` are the same; 0 is a count. */
function isSame(given: NeutralUsage | undefined, wanted: NeutralUsage): boolean {
  if (given === undefined) return false
  const names = new Set([...Object.keys(given), ...Object.keys(wanted)]) as Set<keyof NeutralUsage>
  return [...names].every((name) => given[name] === wanted[name])
}

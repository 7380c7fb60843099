import { describe, expect, it } from 'vitest'
import { type OutputCount } from '../src/response-rules.ts'
import { toTokenUsage } from '../src/usage.ts'
import { choice, done, translate } from './support/translate-events.ts'

interface Row {
  readonly name: string
  readonly wire: unknown
  readonly usage: object | undefined
  readonly outputCount?: OutputCount
}

const rows: readonly Row[] = [
  {
    name: 'plain counts',
    wire: { prompt_tokens: 7, completion_tokens: 2 },
    usage: { inputTokens: 7, outputTokens: 2 },
  },
  {
    name: 'a real zero',
    wire: { prompt_tokens: 6, completion_tokens: 0, prompt_tokens_details: { cached_tokens: 0 } },
    usage: { inputTokens: 6, outputTokens: 0, cacheReadTokens: 0 },
  },
  {
    name: 'cached tokens and reasoning as parts',
    wire: {
      prompt_tokens: 100,
      completion_tokens: 5,
      prompt_tokens_details: { cached_tokens: 80 },
      completion_tokens_details: { reasoning_tokens: 3 },
    },
    usage: { inputTokens: 20, outputTokens: 5, cacheReadTokens: 80, reasoningTokens: 3 },
  },
  {
    name: 'cache writes as a part of the prompt',
    wire: { prompt_tokens: 100, prompt_tokens_details: { cached_tokens: 60, cache_write_tokens: 30 } },
    usage: { inputTokens: 10, cacheReadTokens: 60, cacheWriteTokens: 30 },
  },
  {
    name: 'one hit count under two names',
    wire: {
      prompt_tokens: 50,
      prompt_cache_hit_tokens: 30,
      prompt_cache_miss_tokens: 20,
      prompt_tokens_details: { cached_tokens: 30 },
    },
    usage: { inputTokens: 20, cacheReadTokens: 30 },
  },
  ...['cached_tokens', 'num_cached_tokens', 'cache_read_input_tokens', 'prompt_cache_hit_tokens'].map(
    (name) => ({
      name: `cached tokens named ${name}`,
      wire: { prompt_tokens: 10, [name]: 4 },
      usage: { inputTokens: 6, cacheReadTokens: 4 },
    }),
  ),
  {
    name: 'misses without a prompt count',
    wire: { prompt_cache_miss_tokens: 12 },
    usage: { inputTokens: 12 },
  },
  {
    name: 'more cached tokens than prompt',
    wire: { prompt_tokens: 10, cached_tokens: 12 },
    usage: { inputTokens: 0, cacheReadTokens: 12 },
  },
  {
    name: 'more reasoning than completion',
    wire: { completion_tokens: 3, completion_tokens_details: { reasoning_tokens: 10 } },
    usage: { outputTokens: 13, reasoningTokens: 10 },
  },
  {
    name: 'reasoning that the dialect counts apart',
    wire: { completion_tokens: 30, reasoning_tokens: 10 },
    usage: { outputTokens: 40, reasoningTokens: 10 },
    outputCount: 'completion-plus-reasoning',
  },
  {
    name: 'reasoning that only the total tells',
    wire: { prompt_tokens: 30, completion_tokens: 9, total_tokens: 120 },
    usage: { inputTokens: 30, outputTokens: 90 },
    outputCount: 'total-minus-prompt',
  },
  {
    name: 'a total that is missing where it should tell',
    wire: { prompt_tokens: 30, completion_tokens: 9 },
    usage: { inputTokens: 30, outputTokens: 9 },
    outputCount: 'total-minus-prompt',
  },
  {
    name: 'odd counts',
    wire: {
      prompt_tokens: -1,
      completion_tokens: 1.5,
      total_tokens: '3',
      reasoning_tokens: null,
      cached_tokens: 1e300,
    },
    usage: undefined,
  },
  { name: 'null', wire: null, usage: undefined },
  { name: 'no object', wire: [1], usage: undefined },
  { name: 'an empty object', wire: {}, usage: undefined },
]

describe('toTokenUsage', () => {
  it.each(rows)('reads $name', ({ wire, usage, outputCount = 'completion' }) => {
    expect(toTokenUsage(wire, outputCount)).toStrictEqual(usage)
  })
})

describe('Translator, usage', () => {
  const counts = (output: number): object => ({ usage: { prompt_tokens: 10, completion_tokens: output } })
  const usageOf = (...data: readonly string[]): unknown =>
    translate(data).filter((chunk) => chunk.type === 'usage')
  const told = (output: number): unknown => [
    { type: 'usage', usage: { inputTokens: 10, outputTokens: output } },
  ]

  it('takes the last of cumulative snapshots and tells it once', () => {
    expect(usageOf(choice({ content: 'a' }, null, counts(1)), choice({}, 'stop', counts(2)), done)).toEqual(
      told(2),
    )
  })

  it('keeps a snapshot that only an early chunk has, nulls notwithstanding', () => {
    expect(
      usageOf(choice({ content: 'a' }, null, counts(1)), choice({}, 'stop', { usage: null }), done),
    ).toEqual(told(1))
  })

  it('takes usage from a chunk without choices, after the reason, before the finish', () => {
    const late = JSON.stringify({ choices: [], ...counts(3) })
    const chunks = translate([choice({ content: 'a' }), choice({}, 'stop'), late, done])
    expect(chunks.slice(-3).map((chunk) => chunk.type)).toEqual(['block-end', 'usage', 'finish'])
  })

  it('finds usage within the choice and within x_groq', () => {
    const inChoice = JSON.stringify({ choices: [{ index: 0, delta: { content: 'a' }, ...counts(4) }] })
    expect(usageOf(inChoice, done)).toEqual(told(4))
    expect(usageOf(choice({ content: 'a' }, 'stop', { x_groq: { id: 'r', ...counts(5) } }), done)).toEqual(
      told(5),
    )
  })

  it('tells nothing when nothing is known', () => {
    expect(usageOf(choice({ content: 'a' }), choice({}, 'stop', { usage: {} }), done)).toEqual([])
  })

  it('tells what was billed before a failure', () => {
    const broken = JSON.stringify({ error: { message: 'gone' }, choices: [], ...counts(6) })
    expect(usageOf(choice({ content: 'a' }), broken)).toEqual(told(6))
  })
})

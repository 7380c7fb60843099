import { CallId, type RetryPolicy, type StreamChunk } from 'dsh-llm'
import { describe, expect, it } from 'vitest'
import { createStage, failsAfter, readAll, toWords } from './support/retry-stage.ts'

const text: StreamChunk = { type: 'block-start', index: 0, blockType: 'text' }
const reasoning: StreamChunk = { type: 'block-start', index: 0, blockType: 'reasoning' }
const call: StreamChunk = { type: 'block-start', index: 0, blockType: 'tool-call' }
const usage: StreamChunk = { type: 'usage', usage: { outputTokens: 3 } }
const id = CallId('call_1')
const piece = (argumentsDelta: string): StreamChunk => ({
  type: 'tool-call-delta',
  index: 0,
  id,
  name: 'f',
  argumentsDelta,
})
const delta = (value: string): StreamChunk => ({ type: 'text-delta', index: 0, text: value })
const thought: StreamChunk = { type: 'reasoning-delta', index: 0, text: 'hm' }
const endOfText: StreamChunk = { type: 'block-end', index: 0, block: { type: 'text', text: 'Hi' } }
const endOfCall: StreamChunk = {
  type: 'block-end',
  index: 0,
  block: { type: 'tool-call', id, name: 'f', arguments: '{}' },
}

/** What a run said before it failed, and in which modes it is run again. */
const table: readonly [name: string, chunks: readonly StreamChunk[], rerunIn: readonly string[]][] = [
  ['nothing', [], ['first-content', 'finish']],
  ['usage', [usage], ['first-content', 'finish']],
  ['the start of a text', [usage, text, usage], ['first-content', 'finish']],
  ['an empty delta', [text, delta('')], ['first-content', 'finish']],
  ['some text', [text, delta('Hi')], ['finish']],
  ['a whole text', [text, delta('Hi'), endOfText], ['finish']],
  ['some reasoning', [reasoning, thought], ['finish']],
  ['the head of a tool call', [call, piece('')], ['finish']],
  ['half a tool call', [call, piece('{"a"')], ['finish']],
  ['a whole tool call', [call, piece('{}'), endOfCall], []],
]

const modes: readonly RetryPolicy['until'][] = ['first-content', 'finish', 'never']

describe.each(modes)('retry until %s', (until) => {
  it.each(table)('decides after %s', async (_name, chunks, rerunIn) => {
    const script = [failsAfter(chunks), { text: 'Hello' }]
    await using stage = await createStage(script, { config: { until } })
    const words = toWords(await readAll(stage))
    const isRerun = rerunIn.includes(until)
    expect(stage.adapter.requests).toHaveLength(isRerun ? 2 : 1)
    const shown = isRerun && until === 'first-content' ? [] : toWords(chunks)
    const answer = ['attempt 2 SERVER 500', 'start 0 text', '"Hello"', 'end 0', 'finish stop']
    const replaced = shown.filter((word) => until !== 'first-content' || !word.startsWith('usage'))
    if (isRerun) expect(words).toEqual([...replaced, ...answer])
    else {
      expect(words.at(-1)).toBe('finish error SERVER')
      expect(words.filter((word) => !word.startsWith('usage'))).toEqual([
        ...toWords(chunks).filter((word) => !word.startsWith('usage')),
        'finish error SERVER',
      ])
    }
  })
})

it('retry holds back only the latest of many usages, and shows it where it stood', async () => {
  const many = Array.from({ length: 50 }, (_, at): StreamChunk => ({
    type: 'usage',
    usage: { outputTokens: at },
  }))
  const chunks = [...many, text, delta('Hi'), endOfText]
  await using stage = await createStage([[...chunks, { type: 'finish', reason: { kind: 'stop' } }]])
  expect(toWords(await readAll(stage))).toEqual(['usage 49', 'start 0 text', '"Hi"', 'end 0', 'finish stop'])
})

it('retry lets go of what it held back when the call fails for good', async () => {
  await using stage = await createStage([failsAfter([usage, text], 'AUTH')])
  expect(toWords(await readAll(stage))).toEqual(['usage 3', 'start 0 text', 'finish error AUTH'])
})

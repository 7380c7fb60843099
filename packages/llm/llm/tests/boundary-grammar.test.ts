import { describe, expect, it } from 'vitest'
import type { StreamChunk } from '../src/index.ts'
import {
  attempt,
  calls,
  close,
  closeCall,
  delta,
  failed,
  finish,
  odd,
  open,
  piece,
  reason,
  says,
  stream,
  thought,
} from './support/chunks.ts'
import { failureOf, read, summary, textOf } from './support/outcome.ts'
import { ask, startTestLlm } from './support/test-llm.ts'

type Row = [what: string, chunks: readonly unknown[], answer: string, rule?: string]

const throwing = (): never => {
  throw new Error('trap')
}
const trap: ProxyHandler<object> = {
  // A generator looks whether what it yields is a promise.
  get: (_target, key) => (key === 'then' ? undefined : throwing()),
  has: throwing,
  getOwnPropertyDescriptor: throwing,
  ownKeys: throwing,
}
const hostile = (): object => new Proxy({}, trap)

/** What an adapter yields, the one answer the boundary gives, and the rule it names. */
const rows: readonly Row[] = [
  ['nothing at all', [], 'error STREAM_CLOSED'],
  ['no finish', [open(0), delta(0, 'a'), close(0, 'a')], 'error STREAM_CLOSED'],
  ['two finishes', [...says('a'), finish('stop')], 'stop'],
  ['chunks after the finish', [...says('a'), delta(0, 'late'), open(1)], 'stop'],
  ['usage after the finish', [...says('a'), { type: 'usage', usage: { outputTokens: 1 } }], 'stop'],
  ['a broken chunk after the finish', [...says('a'), null], 'stop'],
  ['a first index that is not 0', [open(1)], 'error ADAPTER_PROTOCOL', 'R2'],
  ['a gap in the indexes', [open(0), close(0, ''), open(2)], 'error ADAPTER_PROTOCOL', 'R2'],
  ['an index used again', [open(0), close(0, ''), open(0)], 'error ADAPTER_PROTOCOL', 'R2'],
  ['a negative index', [open(-1)], 'error ADAPTER_PROTOCOL', 'R2'],
  ['an index that is text', [odd({ ...open(0), index: '0' })], 'error ADAPTER_PROTOCOL', 'R2'],
  [
    'a delta whose index is text',
    [open(0), odd({ ...delta(0, 'a'), index: '0' })],
    'error ADAPTER_PROTOCOL',
    'R3',
  ],
  [
    'a delta at a member of arrays',
    [odd({ ...delta(0, 'a'), index: 'length' })],
    'error ADAPTER_PROTOCOL',
    'R3',
  ],
  ['a delta without a block', [delta(0, 'a')], 'error ADAPTER_PROTOCOL', 'R3'],
  ['a delta of another type', [open(0), thought(0, 'a')], 'error ADAPTER_PROTOCOL', 'R3'],
  ['a delta after the close', [open(0), close(0, ''), delta(0, 'a')], 'error ADAPTER_PROTOCOL', 'R3'],
  ['a delta without text', [open(0), odd({ type: 'text-delta', index: 0 })], 'error ADAPTER_PROTOCOL', 'R3'],
  ['a close without an open', [close(0, 'a')], 'error ADAPTER_PROTOCOL', 'R4'],
  ['two closes', [open(0), close(0, ''), close(0, '')], 'error ADAPTER_PROTOCOL', 'R4'],
  ['a close of another type', [open(0), close(0, '', 'reasoning')], 'error ADAPTER_PROTOCOL', 'R4'],
  ['a close longer than its deltas', [open(0), delta(0, 'a'), close(0, 'ab')], 'error ADAPTER_PROTOCOL', 'R4'],
  ['a close shorter than its deltas', [open(0), delta(0, 'ab'), close(0, 'a')], 'error ADAPTER_PROTOCOL', 'R4'],
  [
    'a close without a block',
    [open(0), odd({ type: 'block-end', index: 0, block: null })],
    'error ADAPTER_PROTOCOL',
    'R4',
  ],
  [
    'a closed block that is no plain data',
    [open(0), odd({ type: 'block-end', index: 0, block: { type: 'text', text: '', hook: throwing } })],
    'error ADAPTER_PROTOCOL',
  ],
  ['a call without an id', [open(0, 'tool-call'), piece(0, '', 'look', '')], 'error ADAPTER_PROTOCOL', 'R5'],
  ['a call without a name', [open(0, 'tool-call'), piece(0, '{}')], 'error ADAPTER_PROTOCOL', 'R5'],
  [
    'a call that changes its id',
    [open(0, 'tool-call'), piece(0, '', 'look'), piece(0, '', undefined, 'other')],
    'error ADAPTER_PROTOCOL',
    'R5',
  ],
  [
    'a call that is renamed',
    [open(0, 'tool-call'), piece(0, '', 'look'), piece(0, '', 'listen')],
    'error ADAPTER_PROTOCOL',
    'R5',
  ],
  [
    'a call closed under another name',
    [open(0, 'tool-call'), piece(0, '', 'look'), closeCall(0, '', 'listen')],
    'error ADAPTER_PROTOCOL',
    'R5',
  ],
  [
    'a call closed without its name',
    [
      open(0, 'tool-call'),
      piece(0, '', 'look'),
      odd({ type: 'block-end', index: 0, block: { type: 'tool-call', id: 'call-0', arguments: '' } }),
    ],
    'error ADAPTER_PROTOCOL',
    'R4',
  ],
  ['a call closed before any delta', [open(0, 'tool-call'), closeCall(0, '')], 'error ADAPTER_PROTOCOL', 'R5'],
  ['usage without usage', [odd({ type: 'usage' })], 'error ADAPTER_PROTOCOL', 'R6'],
  ['stop inside an open text', [open(0), delta(0, 'a'), finish('stop')], 'error ADAPTER_PROTOCOL', 'R7'],
  [
    'stop inside an open call',
    [open(0, 'tool-call'), piece(0, '{', 'look'), finish('stop')],
    'error ADAPTER_PROTOCOL',
    'R7',
  ],
  [
    'tool-calls inside an open call',
    [...calls().slice(0, 3), open(1, 'tool-call'), finish('tool-calls')],
    'error ADAPTER_PROTOCOL',
    'R7',
  ],
  [
    'max-tokens inside an open text',
    [open(0), delta(0, 'a'), finish('max-tokens')],
    'error ADAPTER_PROTOCOL',
    'R7',
  ],
  [
    'max-tokens inside an open call',
    [open(0, 'tool-call'), piece(0, '{', 'look'), finish('max-tokens')],
    'max-tokens',
  ],
  ['max-tokens without a block', [finish('max-tokens')], 'max-tokens'],
  ['an error inside an open block', [open(0), delta(0, 'a'), failed('SERVER')], 'error SERVER'],
  ['stop after a complete call', [...calls().slice(0, 3), finish('stop')], 'error ADAPTER_PROTOCOL', 'R8'],
  [
    'tool-calls without a call',
    [...says('a').slice(0, 3), finish('tool-calls')],
    'error ADAPTER_PROTOCOL',
    'R8',
  ],
  ['stop without a block', [finish('stop')], 'error EMPTY_RESPONSE'],
  ['stop with an empty block', [open(0), close(0, ''), finish('stop')], 'error EMPTY_RESPONSE'],
  [
    'stop after reasoning alone',
    [open(0, 'reasoning'), thought(0, 'hm'), close(0, 'hm', 'reasoning'), finish('stop')],
    'stop',
  ],
  ['a call of no arguments', calls(''), 'tool-calls'],
  ['an attempt', [attempt(2), ...says('a')], 'error ADAPTER_PROTOCOL', 'R10'],
  ['an unknown type', [odd({ type: 'text' })], 'error ADAPTER_PROTOCOL', 'R1'],
  ['no type', [odd({})], 'error ADAPTER_PROTOCOL', 'R1'],
  ['null', [null], 'error ADAPTER_PROTOCOL', 'R1'],
  ['undefined', [undefined], 'error ADAPTER_PROTOCOL', 'R1'],
  ['a number', [7], 'error ADAPTER_PROTOCOL', 'R1'],
  ['a text', ['x'.repeat(1_000)], 'error ADAPTER_PROTOCOL', 'R1'],
  ['a Proxy that throws at everything', [hostile()], 'error ADAPTER_PROTOCOL', 'R1'],
  [
    'a block that is such a Proxy',
    [open(0), odd({ type: 'block-end', index: 0, block: hostile() })],
    'error ADAPTER_PROTOCOL',
  ],
  [
    'a finish whose reason is such a Proxy',
    [odd({ type: 'finish', reason: hostile() })],
    'error ADAPTER_PROTOCOL',
    'R1',
  ],
  ['a usage that is such a Proxy', [odd({ type: 'usage', usage: hostile() })], 'error ADAPTER_PROTOCOL', 'R1'],
  ['a finish without a reason', [odd({ type: 'finish' })], 'error ADAPTER_PROTOCOL', 'R1'],
  [
    'an error without a failure',
    [odd({ type: 'finish', reason: { kind: 'error' } })],
    'error ADAPTER_PROTOCOL',
    'R1',
  ],
  ['a failure without a code', [failed('', 'words')], 'error ADAPTER_PROTOCOL', 'R1'],
  [
    'a failure that is text',
    [odd({ type: 'finish', reason: { kind: 'error', failure: 'no' } })],
    'error ADAPTER_PROTOCOL',
    'R1',
  ],
  ['aborted although nobody did', [failed('SERVER', 'It failed', 'aborted')], 'error SERVER'],
  ['an error with the code of an abort', [failed('ABORTED')], 'aborted ABORTED'],
  [
    'a finish of a merged kind',
    [...says('a').slice(0, 3), odd({ type: 'finish', reason: reason({ kind: 'paused' }) })],
    'paused',
  ],
  [
    'replay state that is no data',
    [...says('a').slice(0, 3), finish('stop', { replayState: odd({ response: throwing }) as never })],
    'error ADAPTER_PROTOCOL',
  ],
  [
    'replay state that is no envelope',
    [...says('a').slice(0, 3), finish('stop', { replayState: 'state' as never })],
    'error ADAPTER_PROTOCOL',
  ],
]

describe('The adapter boundary, for chunks (L6)', () => {
  it.each(rows)('answers %s', async (_what, chunks, answer, rule) => {
    const { llm, clock, errors } = await startTestLlm(() => stream(...chunks))
    const outcome = await read(llm.stream(ask()), clock)
    expect(summary(outcome)).toBe(answer)
    if (rule !== undefined) expect(failureOf(outcome.chunks)?.message).toContain(`broke rule ${rule}:`)
    if (answer.endsWith('ADAPTER_PROTOCOL')) {
      expect(failureOf(outcome.chunks)?.message).toContain('FunctionAdapter (provider "p")')
    }
    expect(failureOf(outcome.chunks)?.message.length ?? 0).toBeLessThan(300)
    expect(clock.pending).toBe(0)
    expect(errors).toEqual([])
  })

  it('passes on what came before the breach, unchanged (R12)', async () => {
    const given = [open(0), delta(0, 'a'), delta(0, 'b')]
    const { llm } = await startTestLlm(() => stream(...given, delta(1, 'c')))
    const { chunks } = await read(llm.stream(ask()))
    expect(chunks.slice(0, 3)).toEqual(given)
    expect(chunks[1]).toBe(given[1])
  })

  it('returns the iterator of an adapter that has more to say after the finish', async () => {
    const events: string[] = []
    async function* talkative(): AsyncGenerator<StreamChunk, void, undefined> {
      try {
        yield* says('a')
        events.push('asked for more')
      } finally {
        events.push('returned')
      }
    }
    const { llm } = await startTestLlm(talkative)
    expect(summary(await read(llm.stream(ask())))).toBe('stop')
    expect(events).toEqual(['returned'])
  })

  it('drops counts that cannot be, and keeps the others (R6)', async () => {
    const usage = {
      inputTokens: -1,
      outputTokens: Number.NaN,
      cacheReadTokens: 1.5,
      reasoningTokens: 3,
      odd: 1,
    }
    const { llm } = await startTestLlm(() => stream({ type: 'usage', usage }, ...says('a')))
    const { chunks } = await read(llm.stream(ask()))
    expect(chunks[0]).toEqual({ type: 'usage', usage: { reasoningTokens: 3 } })
  })

  it('stamps the finish with the real route and keeps only sound facts of the wire', async () => {
    const response = { provider: 'liar', model: 'liar', id: 7, servedModel: 'm-2026', requestId: '', extra: 1 }
    const { llm } = await startTestLlm(() =>
      stream(...says('a').slice(0, 3), finish('stop', { response: response as never })),
    )
    const { chunks } = await read(llm.stream(ask()))
    expect(chunks.at(-1)).toEqual({
      type: 'finish',
      reason: { kind: 'stop' },
      response: { provider: 'p', model: 'm', servedModel: 'm-2026' },
    })
    expect(Object.isFrozen(chunks.at(-1))).toBe(true)
  })

  it('detaches what outlives the stream from the adapter that made it (R12)', async () => {
    const block = { type: 'text', text: 'a' }
    const replayState = { response: { cursor: 1 }, blocks: [null] }
    const { llm } = await startTestLlm(() =>
      stream(open(0), delta(0, 'a'), { type: 'block-end', index: 0, block }, finish('stop', { replayState })),
    )
    const { chunks } = await read(llm.stream(ask()))
    block.text = 'changed'
    replayState.response.cursor = 2
    expect(chunks[2]).toEqual({ type: 'block-end', index: 0, block: { type: 'text', text: 'a' } })
    expect(chunks[3]).toMatchObject({ replayState: { response: { cursor: 1 }, blocks: [null] } })
  })

  it('reduces the failure of an adapter to sound facts', async () => {
    const odds = {
      message: 'Busy',
      code: 'OVERLOADED',
      status: 529,
      providerRetryAfterMs: -1,
      requestId: 5,
      stack: 'x',
    }
    const { llm } = await startTestLlm(() =>
      stream({ type: 'finish', reason: { kind: 'error', failure: odds } }),
    )
    const { chunks } = await read(llm.stream(ask()))
    expect(failureOf(chunks)).toEqual({ message: 'Busy', code: 'OVERLOADED', status: 529 })
  })

  it('reads a million chunks one by one', async () => {
    let ahead = 0
    let most = 0
    async function* endless(): AsyncGenerator<StreamChunk, void, undefined> {
      yield open(0)
      for (let count = 0; count < 1_000_000; count += 1) {
        ahead += 1
        most = Math.max(most, ahead)
        yield delta(0, 'x')
      }
      yield close(0, 'x'.repeat(1_000_000))
      yield finish('stop')
    }
    const { llm } = await startTestLlm(endless)
    let length = 0
    for await (const chunk of llm.stream(ask())) {
      if (chunk.type !== 'text-delta') continue
      ahead -= 1
      length += chunk.text.length
    }
    expect(length).toBe(1_000_000)
    expect(most).toBe(1)
  })

  it('takes a stream that an adapter got from the runtime itself', async () => {
    const { llm } = await startTestLlm((request) =>
      request.model === 'outer' ? llm.stream({ ...request, model: 'inner' }) : stream(...says('from inside')),
    )
    const outcome = await read(llm.stream(ask({ model: 'outer' })))
    expect(summary(outcome)).toBe('stop')
    expect(textOf(outcome.chunks)).toBe('from inside')
    expect(outcome.chunks.at(-1)).toMatchObject({ response: { model: 'outer' } })
  })
})

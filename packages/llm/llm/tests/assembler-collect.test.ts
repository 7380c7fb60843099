import { describe, expect, it } from 'vitest'
import { collect, type StreamChunk } from '../src/index.ts'
import {
  attempt,
  calls,
  close,
  delta,
  failed,
  failure,
  finish,
  open,
  piece,
  says,
  stream,
  thought,
} from './support/chunks.ts'

const response = { provider: 'p', model: 'm' }

describe('collect', () => {
  it('gives a whole answer', async () => {
    const answer = await collect(
      stream(
        open(0, 'reasoning'),
        thought(0, 'hm'),
        close(0, 'hm', 'reasoning'),
        open(1),
        delta(1, 'a'),
        close(1, 'a'),
        { type: 'usage', usage: { outputTokens: 2 } },
        finish('stop', { response }),
      ),
    )
    expect(answer).toMatchObject({
      text: 'a',
      message: { content: [{ text: 'hm' }, { text: 'a' }], source: { kind: 'model', ...response } },
      finish: { kind: 'stop' },
      usage: { outputTokens: 2 },
      attempts: [],
    })
  })

  it.each<[what: string, chunks: readonly StreamChunk[], hasMessage: boolean]>([
    ['stop', says('a'), true],
    ['tool-calls', calls(), true],
    ['max-tokens', [delta(0, 'a'), finish('max-tokens')], true],
    ['error', [delta(0, 'a'), failed('SERVER')], false],
    ['aborted', [delta(0, 'a'), failed('ABORTED', 'It failed', 'aborted')], false],
    [
      'a kind of another package',
      [delta(0, 'a'), { type: 'finish', reason: { kind: 'paused' } } as unknown as StreamChunk],
      false,
    ],
  ])('has a message after %s or not', async (_what, chunks, hasMessage) => {
    const answer = await collect(stream(...chunks))
    expect('message' in answer).toBe(hasMessage)
  })

  it('keeps what is worth keeping of a cut answer', async () => {
    const answer = await collect(
      stream(open(0), delta(0, 'half'), piece(1, '{', 'look'), failed('STREAM_CLOSED')),
    )
    expect(answer.partial).toEqual([{ type: 'text', text: 'half' }])
    expect([answer.text, answer.finish.failure?.code]).toEqual(['half', 'STREAM_CLOSED'])
  })

  it('calls a stream without a finish STREAM_CLOSED, never stop', async () => {
    const answer = await collect(stream(open(0), delta(0, 'a')))
    expect(answer.finish.failure?.code).toBe('STREAM_CLOSED')
    expect(answer.message).toBeUndefined()
  })

  it('forgets void attempts but for what they cost', async () => {
    const answer = await collect(
      stream(delta(0, 'void'), { type: 'usage', usage: { outputTokens: 9 } }, attempt(2), ...says('ok')),
    )
    expect(answer.text).toBe('ok')
    expect(answer.usage).toBeUndefined()
    expect(answer.attempts).toEqual([{ failure: failure('SERVER'), delayMs: 0, usage: { outputTokens: 9 } }])
  })

  it('shows each chunk, and leaves the stream when that throws', async () => {
    let closed = false
    async function* source(): AsyncGenerator<StreamChunk, void, undefined> {
      try {
        yield* says('a')
      } finally {
        closed = true
      }
    }
    const seen: string[] = []
    const onChunk = ({ type }: StreamChunk): void => {
      seen.push(type)
      if (type === 'text-delta') throw new Error('enough')
    }
    await expect(collect(source(), onChunk)).rejects.toThrow('enough')
    expect([seen, closed]).toEqual([['block-start', 'text-delta'], true])
  })
})

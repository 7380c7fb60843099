import { describe, expect, it } from 'vitest'
import { type StreamChunk, tapStream } from '../src/index.ts'
import { says, stream } from './support/chunks.ts'
import { read } from './support/outcome.ts'

describe('tapStream', () => {
  it('gives the very same chunks, each seen before the reader has it', async () => {
    const given = says('a')
    const events: string[] = []
    const tapped = tapStream(stream(...given), (chunk) => void events.push(`tap ${chunk.type}`))
    const chunks: StreamChunk[] = []
    for await (const chunk of tapped) {
      events.push(`reader ${chunk.type}`)
      chunks.push(chunk)
    }
    for (const [index, chunk] of given.entries()) expect(chunks[index]).toBe(chunk)
    expect(events.slice(0, 2)).toEqual(['tap block-start', 'reader block-start'])
    expect(events.length).toBe(8)
  })

  it('on taps calls the innermost first', async () => {
    const seen: number[] = []
    const tapped = [1, 2, 3].reduce<AsyncIterable<StreamChunk>>(
      (inner, name) => tapStream(inner, () => void seen.push(name)),
      stream(says('a')[0]),
    )
    await read(tapped)
    expect(seen).toEqual([1, 2, 3])
  })

  it('lets a tap on it not touch the tap below', async () => {
    const seen: string[] = []
    const below = tapStream(stream(...says('a')), () => void seen.push('below'))
    void tapStream(below, () => void seen.push('above'))
    await read(below)
    expect(seen).toEqual(['below', 'below', 'below', 'below'])
  })

  it('whose observer throws closes the stream and rejects with that value', async () => {
    let closed = false
    async function* source(): AsyncGenerator<StreamChunk, void, undefined> {
      try {
        yield* says('a')
      } finally {
        closed = true
      }
    }
    const fault = new Error('observer')
    const outcome = await read(
      tapStream(source(), () => {
        throw fault
      }),
    )
    expect(outcome).toMatchObject({ state: 'threw', error: fault })
    expect([closed, outcome.chunks.length]).toEqual([true, 0])
  })

  it("tells the observer's error, not that of the clean-up after it", async () => {
    const source = {
      [Symbol.asyncIterator]: () => ({
        next: async () => ({ done: false, value: says('a')[0] }),
        return: async () => {
          throw new Error('clean-up')
        },
      }),
    } as AsyncIterable<StreamChunk>
    const outcome = await read(
      tapStream(source, () => {
        throw new Error('observer')
      }),
    )
    expect(outcome.error).toEqual(new Error('observer'))
  })

  it('passes return() on, and gives nothing afterwards', async () => {
    let closed = 0
    async function* source(): AsyncGenerator<StreamChunk, void, undefined> {
      try {
        yield* says('a')
      } finally {
        closed += 1
      }
    }
    const iterator = tapStream(source(), () => {})[Symbol.asyncIterator]()
    await iterator.next()
    expect(await iterator.return?.()).toEqual({ done: true, value: undefined })
    expect(await iterator.next()).toEqual({ done: true, value: undefined })
    expect(closed).toBe(1)
  })

  it('left before it was begun never opens the stream below', async () => {
    const seen: string[] = []
    const source = {
      [Symbol.asyncIterator]: () => [seen.push('opened'), stream()][1],
    } as AsyncIterable<StreamChunk>
    const iterator = tapStream(source, () => {})[Symbol.asyncIterator]()
    await iterator.return?.()
    expect(await iterator.next()).toEqual({ done: true, value: undefined })
    expect(seen).toEqual([])
  })

  it('may be read once', async () => {
    const tapped = tapStream(stream(...says('a')), () => {})
    await read(tapped)
    expect(await read(tapped)).toMatchObject({ state: 'threw', error: { code: 'STREAM_CONSUMED' } })
  })

  it('rejects with what the stream below throws', async () => {
    const source = {
      [Symbol.asyncIterator]: () => {
        throw new Error('no')
      },
    } as AsyncIterable<StreamChunk>
    expect(await read(tapStream(source, () => {}))).toMatchObject({ state: 'threw', error: { message: 'no' } })
  })
})

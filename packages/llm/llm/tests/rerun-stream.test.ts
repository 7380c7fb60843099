import { getEventListeners } from 'node:events'
import { describe, expect, it } from 'vitest'
import {
  type FailedRun,
  type FinishChunk,
  type GenerateOptions,
  type Rerun,
  rerunStream,
  type StreamChunk,
  tapStream,
} from '../src/index.ts'
import { delta, failed, open, says, stream } from './support/chunks.ts'
import { ask, startTestLlm, type StreamListener } from './support/test-llm.ts'

type Judge = (failedRun: FailedRun, begin: () => AsyncIterable<StreamChunk>) => Rerun | FinishChunk

/** A listener that asks `judge` about failures; `begin` runs everything further in once more. */
function reruns(judge: Judge): StreamListener {
  return (_request: GenerateOptions, next) =>
    rerunStream(next(), { until: 'first-content', judge: (failedRun) => judge(failedRun, next) })
}

const atOnce: Judge = ({ failure, close }, begin) => ({
  attempt: { type: 'attempt', attempt: 2, failure, delayMs: 0 },
  mayBegin: close().then(() => undefined),
  begin,
  cancel: () => {},
})

/** An adapter that fails the first time. */
function failsOnce(): () => AsyncIterable<StreamChunk> {
  let runs = 0
  return () => stream(...((runs += 1) === 1 ? [failed('SERVER')] : says('ok')))
}

async function typesOf(chunks: AsyncIterable<StreamChunk>): Promise<string[]> {
  const types: string[] = []
  for await (const { type } of chunks) types.push(type)
  return types
}

const answer = ['block-start', 'text-delta', 'block-end', 'finish']

describe('rerunStream', () => {
  it('replaces a failed run, numbers the attempt and passes the next run as it is', async () => {
    const { llm, listen, errors } = await startTestLlm(failsOnce())
    listen('rerun', reruns(atOnce))
    expect(await typesOf(llm.stream(ask()))).toEqual(['attempt', ...answer])
    expect(errors).toEqual([])
  })

  it('may stand around another one and under a tap', async () => {
    let runs = 0
    const { llm, listen } = await startTestLlm(() =>
      stream(...((runs += 1) < 3 ? [failed('SERVER')] : says('ok'))),
    )
    const onceMore: StreamListener = (_request, next) => {
      let isFirst = true
      const judge = (failedRun: FailedRun): Rerun | FinishChunk => {
        if (!isFirst) return failedRun.finish
        isFirst = false
        return atOnce(failedRun, next)
      }
      return rerunStream(next(), { until: 'first-content', judge })
    }
    let seen = 0
    listen('outer', onceMore, 2)
    listen('inner', onceMore, 1)
    listen('tap', ((_request, next) => tapStream(next(), () => void (seen += 1))) satisfies StreamListener, 3)
    expect(await typesOf(llm.stream(ask()))).toEqual(['attempt', 'attempt', ...answer])
    expect(seen).toBe(6)
  })

  it('blames the plugin for what its judgement throws', async () => {
    const { llm, listen, errors } = await startTestLlm(failsOnce())
    const bug = new TypeError('a bug')
    listen(
      'rerun',
      reruns(() => fail(bug)),
    )
    await expect(typesOf(llm.stream(ask()))).rejects.toBe(bug)
    expect(errors).toEqual([['rerun', bug]])
  })

  it('blames the plugin for a wait that fails', async () => {
    const { llm, listen, errors } = await startTestLlm(failsOnce())
    const bug = new TypeError('a bug')
    listen(
      'rerun',
      reruns((run, begin) => ({ ...(atOnce(run, begin) as Rerun), mayBegin: Promise.reject(bug) })),
    )
    await expect(typesOf(llm.stream(ask()))).rejects.toBe(bug)
    expect(errors).toEqual([['rerun', bug]])
  })

  it('holds a run to the protocol that did not come from next()', async () => {
    const { llm, listen, errors } = await startTestLlm(failsOnce())
    listen(
      'rerun',
      reruns((run) => ({ ...(atOnce(run, () => stream(open(0))) as Rerun) })),
    )
    await expect(typesOf(llm.stream(ask()))).rejects.toMatchObject({ code: 'LISTENER_PROTOCOL' })
    expect(errors.map(([plugin]) => plugin)).toEqual(['rerun'])
  })

  it('begins nothing for a listener further out that leaves before it reads', async () => {
    let runs = 0
    const { llm, listen } = await startTestLlm(() => stream(...((runs += 1) > 0 ? says('never') : [])))
    const leaves: StreamListener = async function* (_request, next): AsyncGenerator<StreamChunk> {
      const iterator = next()[Symbol.asyncIterator]()
      await iterator.return?.()
      expect(await iterator.next()).toEqual({ done: true, value: undefined })
      yield failed('GONE')
    }
    listen('leaves', leaves, 1)
    listen('rerun', reruns(atOnce))
    expect(await typesOf(llm.stream(ask()))).toEqual(['finish'])
    expect(runs).toBe(0)
  })

  it('refuses a stream that its listener has begun to read', async () => {
    const { llm, listen } = await startTestLlm(failsOnce())
    const reads: StreamListener = async (_request, next) => {
      const first = next()
      await first[Symbol.asyncIterator]().next()
      return rerunStream(first, { until: 'first-content', judge: ({ finish }) => finish })
    }
    listen('reads', reads)
    await expect(typesOf(llm.stream(ask()))).rejects.toMatchObject({ code: 'STREAM_CONSUMED' })
  })
})

/** Says something and then nothing any more, whatever happens. */
async function* deaf(): AsyncGenerator<StreamChunk> {
  yield open(0)
  yield delta(0, 'Hel')
  yield delta(0, 'lo')
  await new Promise<never>(() => {})
}

describe('rerunStream that has settled on a run', () => {
  it('ends at an abort at once, and leaves nothing on the signal', async () => {
    const { llm, listen, clock } = await startTestLlm(deaf)
    listen('rerun', reruns(atOnce))
    const controller = new AbortController()
    const { signal } = controller
    const types: string[] = []
    const reading = (async () => {
      for await (const { type } of llm.stream(ask({ signal }))) {
        types.push(type)
        // The third chunk comes straight from the run; the next pull waits for good.
        if (types.length === 3) queueMicrotask(() => controller.abort())
      }
    })()
    await reading
    expect(types).toEqual(['block-start', 'text-delta', 'text-delta', 'finish'])
    expect([clock.now(), getEventListeners(signal, 'abort').length]).toEqual([0, 0])
  })

  it('does not keep an unload of its plugin waiting after the end', async () => {
    const { llm, listen, ctx } = await startTestLlm(failsOnce())
    const plugin = listen('rerun', reruns(atOnce))
    await typesOf(llm.stream(ask()))
    await plugin.dispose()
    await ctx.dispose()
    expect(plugin.state).toBe('disposed')
  })
})

describe('A listener whose reader leaves during a pull', () => {
  it('is not at fault if it ends its stream without a finish', async () => {
    const { llm, listen, errors, clock } = await startTestLlm(deaf)
    // Hands on the results of the run itself, as an iterator of its own.
    const hands: StreamListener = (_request, next) => {
      const inner = next()[Symbol.asyncIterator]()
      const iterator = { next: () => inner.next(), return: async () => (await inner.return?.()) ?? never() }
      return { [Symbol.asyncIterator]: () => iterator }
    }
    listen('hands', hands)
    const iterator = llm.stream(ask())[Symbol.asyncIterator]()
    for (let count = 0; count < 3; count += 1) await iterator.next()
    const pending = iterator.next()
    const leaving = iterator.return?.()
    await clock.advance(1_000)
    await leaving
    expect(await pending).toEqual({ done: true, value: undefined })
    expect(errors).toEqual([])
  })
})

function fail(error: Error): never {
  throw error
}

function never(): never {
  throw new Error('Every iterator of the runtime has return()')
}

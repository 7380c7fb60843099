import { getEventListeners } from 'node:events'
import { collect, createLlm, type GenerateOptions, type StreamChunk, StreamPriority, use } from 'dsh-llm'
import { collectChunks, fakeClock, ScriptedAdapter, type ScriptedStep } from 'dsh-llm-testkit'
import { describe, expect, it } from 'vitest'
import retry from '../src/index.ts'
import { createStage, fails, messageOf, registers, request, toWords } from './support/retry-stage.ts'

const paced = [
  { chunks: fails('SERVER'), delaysMs: 100 },
  { chunks: fails('OVERLOADED'), delaysMs: 100 },
  { text: ['Hel', 'lo'], delaysMs: 100 },
]

async function* hangAfter(
  _request: GenerateOptions,
  next: () => AsyncIterable<StreamChunk>,
): AsyncGenerator<StreamChunk> {
  yield* next()
  await new Promise<never>(() => {})
}

/** Lets promises settle for some turns. */
async function pass(turns: number): Promise<void> {
  for (let turn = 0; turn < turns; turn += 1) await Promise.resolve()
}

describe('retry whose caller aborts', () => {
  it('ends a wait at once, without another request', async () => {
    await using stage = await createStage([fails('RATE_LIMIT', { providerRetryAfterMs: 3_000 })])
    const controller = new AbortController()
    const reading = collectChunks(stage.llm.stream({ ...request, signal: controller.signal }))
    await stage.clock.advance(100)
    controller.abort('enough')
    const chunks = await reading
    expect(toWords(chunks)).toEqual(['attempt 2 RATE_LIMIT 3000', 'finish aborted ABORTED'])
    expect(messageOf(chunks)).toBe('The call was aborted: enough')
    expect(stage.clock.now()).toBe(100)
    expect([stage.clock.pending, stage.adapter.requests.length]).toEqual([0, 1])
    expect(getEventListeners(controller.signal, 'abort')).toEqual([])
  })

  // Attempts end at 100, 700 (after a wait of 500), and the third one speaks from 1,800 on.
  it.each(Array.from({ length: 23 }, (_, at) => at * 100 + 50))(
    'ends %d ms after the beginning and leaves nothing behind',
    async (atMs) => {
      await using stage = await createStage(paced)
      const controller = new AbortController()
      const reading = collectChunks(stage.llm.stream({ ...request, signal: controller.signal }))
      await stage.clock.advance(atMs)
      controller.abort()
      const words = toWords(await reading)
      const isOverByThen = atMs > 2_200
      expect(words.at(-1)).toBe(isOverByThen ? 'finish stop' : 'finish aborted ABORTED')
      expect(words.filter((word) => word.startsWith('finish'))).toHaveLength(1)
      expect(stage.clock.now()).toBe(atMs)
      await stage.clock.advance(0)
      expect(stage.clock.pending).toBe(0)
      expect(getEventListeners(controller.signal, 'abort')).toEqual([])
    },
  )

  it('lets nobody wait for a clean-up further in that never ends', async () => {
    const hangs = use((ctx) => {
      ctx.on('llm/stream', hangAfter, { priority: StreamPriority.limit })
    })
    await using stage = await createStage([fails('SERVER')], { plugins: [hangs] })
    const controller = new AbortController()
    const answer = collect(stage.llm.stream({ ...request, signal: controller.signal }))
    await stage.clock.advance(600)
    controller.abort()
    expect((await answer).finish.kind).toBe('aborted')
    expect([stage.clock.now(), stage.clock.pending]).toEqual([600, 0])
  })

  it('leaves no listener on a signal that lives longer than a hundred calls', async () => {
    let count = 0
    await using stage = await createStage(() => {
      count += 1
      return count % 2 === 0 ? { text: 'Hi' } : fails('SERVER')
    })
    const { signal } = new AbortController()
    for (let call = 0; call < 100; call += 1) {
      const reading = collectChunks(stage.llm.stream({ ...request, signal }))
      await stage.clock.runAll()
      await reading
      expect(getEventListeners(signal, 'abort')).toEqual([])
    }
  })
})

describe('retry whose reader leaves', () => {
  it.each([0, 1, 2])('begins nothing more after %d chunks', async (count) => {
    await using stage = await createStage([fails('SERVER'), { text: 'Hi', delaysMs: 10 }])
    const iterator = stage.llm.stream(request)[Symbol.asyncIterator]()
    for (let at = 0; at < count; at += 1) {
      const pull = iterator.next()
      await stage.clock.runAll()
      await pull
    }
    await iterator.return?.()
    await stage.clock.runAll()
    expect(stage.adapter.requests).toHaveLength(count)
    expect(stage.clock.pending).toBe(0)
    expect(await iterator.next()).toEqual({ done: true, value: undefined })
  })

  it.each(Array.from({ length: 12 }, (_, turns) => turns))(
    'begins no wait when it leaves %d turns after the failure',
    async (turns) => {
      const failing = Promise.withResolvers<void>()
      const step = async (): Promise<ScriptedStep> => {
        await failing.promise
        return fails('SERVER')
      }
      await using stage = await createStage([step])
      const { signal } = new AbortController()
      const iterator = stage.llm.stream({ ...request, signal })[Symbol.asyncIterator]()
      const pull = iterator.next()
      await stage.clock.advance(0)
      failing.resolve()
      await pass(turns)
      await iterator.return?.()
      await pull
      expect([stage.clock.pending, getEventListeners(signal, 'abort').length]).toEqual([0, 0])
    },
  )

  it('begins nothing more when it leaves during the wait', async () => {
    await using stage = await createStage([fails('SERVER')])
    const iterator = stage.llm.stream(request)[Symbol.asyncIterator]()
    await iterator.next()
    const waiting = iterator.next()
    await stage.clock.advance(10)
    await iterator.return?.()
    expect(await waiting).toEqual({ done: true, value: undefined })
    await stage.clock.runAll()
    expect([stage.adapter.requests.length, stage.clock.pending]).toEqual([1, 0])
  })

  it('lets the wait end by itself when it simply forgets the stream', async () => {
    const stage = await createStage([fails('SERVER')])
    await stage.llm.stream(request)[Symbol.asyncIterator]().next()
    await stage.clock.runAll()
    expect([stage.adapter.requests.length, stage.clock.pending]).toEqual([1, 0])
    // The runtime waits for a call that nobody has ended, so time must pass.
    await Promise.all([stage.dispose(), stage.clock.advance(10_000)])
  })
})

describe('retry that is unloaded', () => {
  it('ends waits at once as aborted, naming the plugin', async () => {
    const clock = fakeClock()
    const adapter = new ScriptedAdapter([fails('SERVER')])
    await using host = await createLlm({ plugins: [registers('p', adapter)], runtime: { clock } })
    const fiber = host.ctx.plugin(retry, { random: () => 1 })
    await fiber
    const reading = collectChunks(host.llm.stream(request))
    await clock.advance(100)
    await fiber.dispose()
    const chunks = await reading
    expect(toWords(chunks)).toEqual(['attempt 2 SERVER 500', 'finish aborted ABORTED'])
    expect(messageOf(chunks)).toBe('The plugin "retry" was unloaded while the call waited for its next attempt')
    expect([clock.now(), clock.pending]).toEqual([100, 0])
  })

  it('passes the failure of an attempt on that was running, and begins no other', async () => {
    const clock = fakeClock()
    const adapter = new ScriptedAdapter([{ chunks: fails('SERVER'), delaysMs: 300 }], { clock })
    await using host = await createLlm({ plugins: [registers('p', adapter)], runtime: { clock } })
    const fiber = host.ctx.plugin(retry)
    await fiber
    const reading = collectChunks(host.llm.stream(request))
    await clock.advance(100)
    const unloading = fiber.dispose()
    await clock.advance(200)
    expect(toWords(await reading)).toEqual(['finish error SERVER'])
    await unloading
    expect(clock.pending).toBe(0)
  })
})

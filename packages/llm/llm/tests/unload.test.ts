import type { Fiber } from 'dsh-context'
import { describe, expect, it } from 'vitest'
import { type GenerateOptions, LlmAdapter, type LlmResolvedModelInfo, type StreamChunk } from '../src/index.ts'
import { close, delta, finish, open, says, stream } from './support/chunks.ts'
import { drainMicrotasks } from './support/fake-clock.ts'
import { FunctionAdapter } from './support/function-adapter.ts'
import { failureOf, read, summary } from './support/outcome.ts'
import { ask, startTestLlm, type StreamListener, type TestLlm } from './support/test-llm.ts'

type Next = Parameters<StreamListener>[1]

/** A stream of an adapter that goes on when the gate opens. */
function gated(): { answer: () => AsyncGenerator<StreamChunk>; open: () => void } {
  const gate = Promise.withResolvers<void>()
  async function* answer(): AsyncGenerator<StreamChunk> {
    yield open(0)
    await gate.promise
    yield* [delta(0, 'a'), close(0, 'a'), finish('stop')]
  }
  return { answer, open: gate.resolve }
}

const never = (): object => ({ [Symbol.asyncIterator]: () => ({ next: () => new Promise(() => {}) }) })

interface Unloading {
  done: boolean
}

function unload(fiber: Fiber | TestLlm['ctx']): Unloading {
  const unloading = { done: false }
  void fiber.dispose().then(() => (unloading.done = true))
  return unloading
}

describe('Unloading the plugin of an adapter (L8)', () => {
  it('takes its routes at once and lets its runs finish', async () => {
    const { answer, open: goOn } = gated()
    const { llm, own, clock } = await startTestLlm()
    const fiber = own('plugin', ['p'], new FunctionAdapter(answer))
    await fiber
    const outcome = await read(llm.stream(ask()))
    const unloading = unload(fiber)
    expect(summary(await read(llm.stream(ask())))).toBe('error NO_ADAPTER')
    expect(unloading.done).toBe(false)
    goOn()
    await drainMicrotasks()
    expect([summary(outcome), unloading.done, clock.pending]).toEqual(['stop', true, 0])
  })

  it('ends what still runs after drainMs, naming the plugin', async () => {
    const { llm, own, clock } = await startTestLlm()
    const fiber = own('slow-plugin', ['p'], new FunctionAdapter(never))
    await fiber
    const outcome = await read(llm.stream(ask()))
    const unloading = unload(fiber)
    await clock.advance(4_999)
    expect([outcome.state, unloading.done]).toEqual(['hangs', false])
    await clock.advance(1)
    expect(summary(outcome)).toBe('aborted ABORTED')
    expect(failureOf(outcome.chunks)?.message).toBe(
      'The plugin "slow-plugin" was unloaded while the call was running',
    )
    expect([unloading.done, clock.pending]).toEqual([true, 0])
  })

  it('ends a run that still asks for its model', async () => {
    class Asking extends LlmAdapter {
      override stream(): AsyncIterable<StreamChunk> {
        return stream(...says('a'))
      }
      override resolveModel(): Promise<LlmResolvedModelInfo> {
        return new Promise(() => {})
      }
    }
    const { llm, own, clock } = await startTestLlm()
    const fiber = own('plugin', ['p'], new Asking())
    await fiber
    const outcome = await read(llm.stream(ask({ reasoningEffort: 'high' })))
    const unloading = unload(fiber)
    await clock.advance(5_000)
    expect([summary(outcome), unloading.done]).toEqual(['aborted ABORTED', true])
  })

  it('waits for the clean-up of a run it ended, at most cleanupMs', async () => {
    const { llm, own, clock } = await startTestLlm()
    const hanging = (): object => ({
      [Symbol.asyncIterator]: () => ({
        next: () => new Promise(() => {}),
        return: () => new Promise(() => {}),
      }),
    })
    const fiber = own('plugin', ['p'], new FunctionAdapter(hanging))
    await fiber
    await read(llm.stream(ask()))
    const unloading = unload(fiber)
    await clock.advance(5_000)
    expect(unloading.done).toBe(false)
    await clock.advance(1_000)
    expect([unloading.done, clock.pending]).toEqual([true, 0])
  })

  it('leaves calls alone that run elsewhere', async () => {
    const { answer, open: goOn } = gated()
    const { llm, own } = await startTestLlm(answer)
    const fiber = own('other', ['q'], new FunctionAdapter(never))
    await fiber
    const outcome = await read(llm.stream(ask()))
    await fiber.dispose()
    goOn()
    await drainMicrotasks()
    expect(summary(outcome)).toBe('stop')
  })
})

describe('Unloading the plugin of a listener (L8)', () => {
  const pass: StreamListener = (_request, next) => next()
  const wrap: StreamListener = async function* (_request, next) {
    yield* next()
  }
  const forms: [how: string, listener: StreamListener][] = [
    ['returns next()', pass],
    ['wraps it', wrap],
    ['awaits', async (_request, next) => next()],
  ]

  it.each(forms)('that %s lets the streams that entered it finish', async (_how, listener) => {
    const { answer, open: goOn } = gated()
    const { llm, listen, clock } = await startTestLlm(answer)
    const fiber = listen('listener', listener)
    await fiber
    const outcome = await read(llm.stream(ask()))
    const unloading = unload(fiber)
    await drainMicrotasks()
    expect(unloading.done).toBe(false)
    goOn()
    await drainMicrotasks()
    expect([summary(outcome), unloading.done, clock.pending]).toEqual(['stop', true, 0])
  })

  it.each(forms)('that %s ends them after drainMs, naming the plugin', async (_how, listener) => {
    const { llm, listen, clock } = await startTestLlm(never)
    const fiber = listen('listener', listener)
    await fiber
    const outcome = await read(llm.stream(ask()))
    const unloading = unload(fiber)
    await clock.advance(5_000)
    expect([summary(outcome), unloading.done, clock.pending]).toEqual(['aborted ABORTED', true, 0])
    expect(failureOf(outcome.chunks)?.message).toContain('"listener" was unloaded')
  })

  it('overrules a listener that hangs, cleanupMs after the end of the patience', async () => {
    const { llm, listen, clock } = await startTestLlm(() => stream(...says('a')))
    let late: Next | undefined
    const fiber = listen('listener', (_request: GenerateOptions, next: Next) => {
      late = next
      return new Promise<never>(() => {})
    })
    await fiber
    const outcome = await read(llm.stream(ask()))
    const unloading = unload(fiber)
    await clock.advance(5_000)
    expect([outcome.state, unloading.done]).toEqual(['hangs', false])
    await clock.advance(1_000)
    expect([summary(outcome), unloading.done, clock.pending]).toEqual(['aborted ABORTED', true, 0])
    expect(late && summary(await read(late()))).toBe('aborted ABORTED')
  })

  it('skips it in calls that begin afterwards, and in a later turn of a running one', async () => {
    const entered: string[] = []
    let gone = (): void => {}
    const { llm, listen } = await startTestLlm(() => stream(...says('a')))
    listen(
      'outer',
      async function* (_request: GenerateOptions, next: Next) {
        for await (const _chunk of next()) entered.push('outer reads')
        gone()
        yield* next()
      },
      1,
    )
    const fiber = listen('inner', (_request: GenerateOptions, next: Next) => [entered.push('inner'), next()][1])
    gone = () => void fiber.dispose()
    await read(llm.stream(ask()))
    await read(llm.stream(ask()))
    expect(entered.filter((what) => what === 'inner').length).toBe(1)
  })

  it('from within its own listener does not fail the call', async () => {
    const { llm, listen, errors } = await startTestLlm(() => stream(...says('a')))
    const fiber = listen('suicidal', (_request: GenerateOptions, next: Next) => {
      void fiber.dispose()
      return next()
    })
    await fiber
    expect(summary(await read(llm.stream(ask())))).toBe('stop')
    expect(errors).toEqual([])
    await fiber.dispose()
  })

  it('does not end calls that the plugin made itself', async () => {
    const { answer, open: goOn } = gated()
    const { ctx } = await startTestLlm(answer)
    let call: AsyncIterable<StreamChunk> | undefined
    const fiber = ctx.plugin({
      name: 'caller',
      inject: ['llm'],
      apply: (plugin) => void (call = plugin.llm.stream(ask())),
    })
    await fiber
    const outcome = await read(call ?? stream())
    const unloading = unload(fiber)
    await drainMicrotasks()
    expect(unloading.done).toBe(true)
    goOn()
    await drainMicrotasks()
    expect(summary(outcome)).toBe('stop')
  })
})

describe('Unloading the runtime (L8)', () => {
  it('lets every call finish', async () => {
    const { answer, open: goOn } = gated()
    const { llm, ctx } = await startTestLlm(answer)
    const outcome = await read(llm.stream(ask()))
    const unloading = unload(ctx)
    await drainMicrotasks()
    expect(unloading.done).toBe(false)
    goOn()
    await drainMicrotasks()
    expect([summary(outcome), unloading.done]).toEqual(['stop', true])
  })

  it('ends every call after drainMs, also one whose reader is away', async () => {
    const { llm, ctx, clock, listen } = await startTestLlm(never)
    listen('wrapping', async function* (_request: GenerateOptions, next: Next) {
      yield open(0)
      yield* next()
    })
    const iterator = llm.stream(ask())[Symbol.asyncIterator]()
    await iterator.next()
    const unloading = unload(ctx)
    for (let second = 0; second < 12; second += 1) await clock.advance(1_000)
    expect(unloading.done).toBe(true)
    expect(await iterator.next()).toMatchObject({ value: { type: 'finish', reason: { kind: 'aborted' } } })
    expect(clock.pending).toBe(0)
  })

  it('answers later calls with NO_ADAPTER', async () => {
    const { llm, ctx } = await startTestLlm(() => stream(...says('a')))
    await ctx.dispose()
    expect(summary(await read(llm.stream(ask())))).toBe('error NO_ADAPTER')
  })
})

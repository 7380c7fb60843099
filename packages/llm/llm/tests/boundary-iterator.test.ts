import { describe, expect, it } from 'vitest'
import { LlmError, type StreamChunk } from '../src/index.ts'
import { delta, finish, odd, open, says, stream } from './support/chunks.ts'
import type { Answer } from './support/function-adapter.ts'
import { failureOf, read, summary } from './support/outcome.ts'
import { ask, startTestLlm } from './support/test-llm.ts'
import { unhandledDuring } from './support/unhandled.ts'

type Row = [what: string, answer: Answer, expected: string]

const boom = (): never => {
  throw new Error('boom')
}

const trap: ProxyHandler<object> = { get: boom, has: boom, getPrototypeOf: boom, ownKeys: boom }
const hostile = (): object => new Proxy({}, trap)

const frozenError = (): object =>
  Object.freeze(
    Object.defineProperties(new Error('frozen'), {
      message: { get: boom },
      code: { get: boom },
      name: { get: boom },
      cause: { get: boom },
      status: { get: boom },
    }),
  )

/** An iterable with one iterator, both of plain objects. */
const iterable = (iterator: object): object => ({ [Symbol.asyncIterator]: () => iterator })
const throwing = (value: unknown): Answer => {
  return () => {
    throw value
  }
}
const rejecting = (value: unknown): Answer => {
  return () => iterable({ next: () => Promise.reject(value as Error) })
}
const pulling = (next: () => unknown): Answer => {
  return () => iterable({ next })
}

/** Gives the chunks one by one, each in a result made by `wrap`. */
const feeding = (chunks: readonly StreamChunk[], wrap: (result: object) => unknown): Answer => {
  return () => {
    let at = 0
    return iterable({ next: () => wrap({ done: false, value: chunks[at++] }) })
  }
}

const rows: Row[] = [
  ['an error thrown in stream()', throwing(new Error('no socket')), 'error UNKNOWN'],
  [
    'a coded error thrown in stream()',
    throwing(new LlmError('No key', 'MISSING_CREDENTIAL')),
    'error MISSING_CREDENTIAL',
  ],
  ['a text thrown in stream()', throwing('no'), 'error UNKNOWN'],
  ['undefined thrown in stream()', throwing(undefined), 'error UNKNOWN'],
  ['a Proxy thrown in stream()', throwing(hostile()), 'error UNKNOWN'],
  ['a frozen error with throwing getters', throwing(frozenError()), 'error UNKNOWN'],
  ['an abort error nobody asked for', throwing(new DOMException('gone', 'AbortError')), 'error TRANSPORT'],
  ['a coded abort', throwing(new LlmError('Gave up', 'ABORTED')), 'aborted ABORTED'],
  ['stream() that gives undefined', () => undefined, 'error ADAPTER_PROTOCOL'],
  ['stream() that gives null', () => null, 'error ADAPTER_PROTOCOL'],
  ['stream() that gives a number', () => 7, 'error ADAPTER_PROTOCOL'],
  ['stream() that gives an array', () => says('a'), 'error ADAPTER_PROTOCOL'],
  ['stream() that gives a promise', () => Promise.resolve(stream(...says('a'))), 'error ADAPTER_PROTOCOL'],
  ['stream() that gives a rejected promise', () => Promise.reject(new Error('late')), 'error ADAPTER_PROTOCOL'],
  ['stream() that gives a Proxy', () => hostile(), 'error UNKNOWN'],
  ['an iterator that cannot be made', () => ({ [Symbol.asyncIterator]: boom }), 'error UNKNOWN'],
  [
    'an iterator that is undefined',
    () => ({ [Symbol.asyncIterator]: () => undefined }),
    'error ADAPTER_PROTOCOL',
  ],
  ['an iterator without next()', () => iterable({}), 'error ADAPTER_PROTOCOL'],
  ['an iterator whose next is no function', () => iterable({ next: 1 }), 'error ADAPTER_PROTOCOL'],
  ['an error thrown in next()', pulling(boom), 'error UNKNOWN'],
  ['a rejection with an error', rejecting(new LlmError('Busy', 'OVERLOADED')), 'error OVERLOADED'],
  ['a rejection with a text', rejecting('no'), 'error UNKNOWN'],
  ['a rejection with undefined', rejecting(undefined), 'error UNKNOWN'],
  ['a rejection with a Proxy', rejecting(hostile()), 'error UNKNOWN'],
  ['a rejection with a frozen error', rejecting(frozenError()), 'error UNKNOWN'],
  ['next() that gives undefined', pulling(() => undefined), 'error ADAPTER_PROTOCOL'],
  ['next() that gives a number', pulling(() => 7), 'error ADAPTER_PROTOCOL'],
  ['next() that gives null late', pulling(async () => null), 'error ADAPTER_PROTOCOL'],
  ['a result that is done by another word', pulling(async () => ({ done: 1 })), 'error STREAM_CLOSED'],
  ['a result that is done at once', pulling(async () => ({ done: true })), 'error STREAM_CLOSED'],
  [
    'a result with throwing getters',
    pulling(() =>
      Promise.resolve({
        get done(): boolean {
          return boom()
        },
      }),
    ),
    'error ADAPTER_PROTOCOL',
  ],
  ['a result without a value', pulling(async () => ({ done: false })), 'error ADAPTER_PROTOCOL'],
  [
    'a chunk that is a Proxy',
    pulling(async () => ({ done: false, value: hostile() })),
    'error ADAPTER_PROTOCOL',
  ],
  ['bare results instead of promises', feeding(says('a'), (result) => result), 'stop'],
  [
    'thenables',
    feeding(says('a'), (result) => ({ then: (done: (value: unknown) => void) => done(result) })),
    'stop',
  ],
  [
    'thenables that resolve twice',
    feeding(says('a'), (result) => ({
      then: (done: (value: unknown) => void) => void [done(result), done({ done: true })],
    })),
    'stop',
  ],
  ['thenables that throw', pulling(() => ({ then: boom })), 'error UNKNOWN'],
  [
    'thenables that resolve and then throw',
    feeding(says('a'), (result) => ({ then: (done: (value: unknown) => void) => void [done(result), boom()] })),
    'stop',
  ],
  [
    'a promise whose own then calls twice',
    feeding(says('a'), (result) =>
      Object.assign(Promise.resolve(), {
        then: (done: (value: unknown) => void) => void [done(result), done(result)],
      }),
    ),
    'stop',
  ],
  ['an iterator that is its own iterable', () => Object.assign(stream(...says('a')), { extra: 1 }), 'stop'],
  ['a return() that throws', () => iterable({ ...fixed(says('a')), return: boom }), 'stop'],
  ['a return() that rejects', () => iterable({ ...fixed(says('a')), return: async () => boom() }), 'stop'],
  [
    'a return() that hangs',
    () => iterable({ ...fixed(says('a')), return: () => new Promise(() => {}) }),
    'stop',
  ],
  [
    'a return() that gives a hostile thenable',
    () => iterable({ ...fixed(says('a')), return: () => ({ then: boom }) }),
    'stop',
  ],
  ['a return() that gives a Proxy', () => iterable({ ...fixed(says('a')), return: hostile }), 'stop'],
  ['a return that is no function', () => iterable({ ...fixed(says('a')), return: 5 }), 'stop'],
  ['no return()', () => iterable(fixed(says('a'))), 'stop'],
  ['no return() after a breach', () => iterable(fixed([odd({})])), 'error ADAPTER_PROTOCOL'],
]

function fixed(chunks: readonly StreamChunk[]): { next(): Promise<unknown> } {
  let at = 0
  return { next: async () => ({ done: false, value: chunks[at++] }) }
}

describe('The adapter boundary, for iterators (L6)', () => {
  it.each(rows)('answers %s', async (_what, answer, expected) => {
    const unhandled = await unhandledDuring(async () => {
      const { llm, clock } = await startTestLlm(answer)
      const outcome = await read(llm.stream(ask()), clock)
      expect(summary(outcome)).toBe(expected)
      expect(outcome.chunks.at(-1)).toMatchObject({ response: { provider: 'p', model: 'm' } })
      await clock.advance(1_000)
      expect(clock.pending).toBe(0)
    })
    expect(unhandled).toEqual([])
  })

  it.each([
    ['throws', boom],
    ['rejects', async () => boom()],
    ['is a thenable that throws', () => ({ then: boom })],
  ])('reports a clean-up that %s under the plugin of the adapter', async (_how, clean) => {
    const { llm, errors } = await startTestLlm(() => iterable({ ...fixed(says('a')), return: clean }))
    await read(llm.stream(ask()))
    expect(errors.map(([plugin, error]) => [plugin, String(error)])).toEqual([
      ['adapter-plugin', 'Error: boom'],
    ])
  })

  it('says which promise an async stream() made of itself', async () => {
    const { llm } = await startTestLlm(async () => stream(...says('a')))
    const { chunks } = await read(llm.stream(ask()))
    expect(failureOf(chunks)?.message).toBe(
      'FunctionAdapter (provider "p") broke rule R1: stream() gave a promise instead of an async iterable',
    )
  })

  it('names no class where the adapter has none', async () => {
    const { llm, ctx } = await startTestLlm()
    const bare: object = Object.assign(Object.create(null) as object, {
      options: new Set(),
      stream: () => undefined,
      providerInfo: boom,
      listModels: boom,
      resolveModel: boom,
      providerRetryPolicy: boom,
    })
    ctx.llm.registerAdapter(['bare'], bare as Parameters<typeof llm.registerAdapter>[1])
    const { chunks } = await read(llm.stream(ask({ provider: 'bare' })))
    expect(failureOf(chunks)?.message).toContain('The adapter (provider "bare") broke rule R1')
  })

  it('is overruled by the abort when it never settles (L8)', async () => {
    const controller = new AbortController()
    const { llm, clock } = await startTestLlm(pulling(() => new Promise(() => {})))
    const reading = read(llm.stream(ask({ signal: controller.signal })))
    controller.abort('enough')
    expect(summary(await reading)).toBe('aborted ABORTED')
    expect(clock.pending).toBe(0)
  })

  it('keeps a finish that came before the abort (L8)', async () => {
    const controller = new AbortController()
    const { llm } = await startTestLlm(() => stream(...says('a')))
    const outcome = await read(llm.stream(ask({ signal: controller.signal })))
    controller.abort()
    expect(summary(outcome)).toBe('stop')
  })

  it('turns the error an adapter ends with after the abort into aborted (L8)', async () => {
    const controller = new AbortController()
    const { llm } = await startTestLlm(async function* () {
      yield open(0)
      controller.abort()
      throw new Error('socket closed')
    })
    const outcome = await read(llm.stream(ask({ signal: controller.signal })))
    expect(summary(outcome)).toBe('aborted ABORTED')
  })

  it('answers pulls in order when several are made at once', async () => {
    const { llm } = await startTestLlm(() => stream(open(0), delta(0, 'a'), finish('max-tokens')))
    const iterator = llm.stream(ask())[Symbol.asyncIterator]()
    const results = await Promise.all([iterator.next(), iterator.next(), iterator.next(), iterator.next()])
    expect(results.map(({ value }) => (value as StreamChunk | undefined)?.type)).toEqual([
      'block-start',
      'text-delta',
      'finish',
      undefined,
    ])
  })

  it('may be iterated once', async () => {
    const { llm } = await startTestLlm(() => stream(...says('a')))
    const once = llm.stream(ask())
    await read(once)
    const again = await read(once)
    expect(again).toMatchObject({ state: 'threw', error: { code: 'STREAM_CONSUMED' } })
  })
})

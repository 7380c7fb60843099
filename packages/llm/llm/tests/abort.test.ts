import { describe, expect, it } from 'vitest'
import {
  abortable,
  type AdapterRequest,
  type GenerateOptions,
  type StreamChunk,
  tapStream,
} from '../src/index.ts'
import { calls, close, delta, finish, open, says, stream, thought } from './support/chunks.ts'
import { drainMicrotasks } from './support/fake-clock.ts'
import { FunctionAdapter } from './support/function-adapter.ts'
import { read, summary } from './support/outcome.ts'
import { ask, startTestLlm, type StreamListener, type TestLlm } from './support/test-llm.ts'
import { unhandledDuring } from './support/unhandled.ts'
import { WatchedController } from './support/watched-signal.ts'

type Next = Parameters<StreamListener>[1]

const answer: readonly StreamChunk[] = [
  open(0, 'reasoning'),
  thought(0, 'hm'),
  close(0, 'hm', 'reasoning'),
  open(1),
  delta(1, 'a'),
  delta(1, 'b'),
  close(1, 'ab'),
  finish('stop'),
]

const generator: StreamListener = async function* (_request, next) {
  yield* next()
}

/** Chains that a call may go through. */
const chains: [how: string, listeners: readonly StreamListener[]][] = [
  ['no listener', []],
  ['a listener that returns next()', [(_request, next) => next()]],
  ['an async listener', [async (_request, next) => next()]],
  ['taps', [(_request, next) => tapStream(next(), () => {}), (_request, next) => tapStream(next(), () => {})]],
  ['generators', [generator, generator]],
  ['a nested call', [(request, next) => (request.purpose === undefined ? generator(request, next) : next())]],
]

interface Setup {
  readonly test: TestLlm
  readonly adapter: FunctionAdapter
  readonly controller: WatchedController
  readonly returned: () => number
}

/** An adapter that yields the answer with a breath between chunks, and says when it was returned. */
async function setUp(listeners: readonly StreamListener[]): Promise<Setup> {
  let returned = 0
  const adapter = new FunctionAdapter(async function* () {
    try {
      for (const chunk of answer) {
        await Promise.resolve()
        yield chunk
      }
    } finally {
      returned += 1
    }
  })
  const test = await startTestLlm()
  await test.own('plugin', ['p'], adapter)
  for (const [index, listener] of listeners.entries()) test.listen(`listener-${index}`, listener)
  return { test, adapter, controller: new WatchedController(), returned: () => returned }
}

/** Nothing of a call that is over may stay behind. */
async function expectNothingLeft({ test, adapter, controller, returned }: Setup): Promise<void> {
  await drainMicrotasks()
  expect(controller.listeners).toBe(0)
  expect(adapter.requests.map(({ signal }) => signal.aborted)).toEqual(adapter.requests.map(() => true))
  expect(returned()).toBe(adapter.requests.length)
  expect(test.clock.pending).toBe(0)
  expect(test.errors).toEqual([])
}

describe.each(chains)('A call through %s', (_how, listeners) => {
  it('that was aborted before it began calls no adapter (L8)', async () => {
    const setup = await setUp(listeners)
    setup.controller.abort('not wanted')
    const outcome = await read(
      setup.test.llm.stream(ask({ signal: setup.controller.signal })),
      setup.test.clock,
    )
    expect(summary(outcome)).toBe('aborted ABORTED')
    expect(setup.adapter.requests).toEqual([])
    await expectNothingLeft(setup)
  })

  it.each(answer.map((_chunk, index) => index))(
    'ends aborted when it is aborted at chunk %i (L8)',
    async (at) => {
      const unhandled = await unhandledDuring(async () => {
        const setup = await setUp(listeners)
        const chunks: StreamChunk[] = []
        for await (const chunk of setup.test.llm.stream(ask({ signal: setup.controller.signal }))) {
          if (chunks.length === at) setup.controller.abort()
          chunks.push(chunk)
        }
        const isLast = at === answer.length - 1
        expect(chunks.at(-1)).toMatchObject({ type: 'finish', reason: { kind: isLast ? 'stop' : 'aborted' } })
        await expectNothingLeft(setup)
      })
      expect(unhandled).toEqual([])
    },
  )

  it.each(answer.map((_chunk, index) => index))(
    'frees everything when its reader breaks at chunk %i (L8)',
    async (at) => {
      const unhandled = await unhandledDuring(async () => {
        const setup = await setUp(listeners)
        let count = 0
        for await (const _chunk of setup.test.llm.stream(ask({ signal: setup.controller.signal }))) {
          if (count === at) break
          count += 1
        }
        await expectNothingLeft(setup)
      })
      expect(unhandled).toEqual([])
    },
  )

  it('aborted after its end changes nothing', async () => {
    const setup = await setUp(listeners)
    const outcome = await read(setup.test.llm.stream(ask({ signal: setup.controller.signal })))
    await expectNothingLeft(setup)
    setup.controller.abort()
    expect(summary(outcome)).toBe('stop')
  })

  it('left by a return() while a pull waits answers that pull (L8)', async () => {
    const { llm, clock, listen } = await startTestLlm(async function* () {
      await new Promise(() => {})
    })
    for (const listener of listeners) listen('listener', listener)
    const iterator = llm.stream(ask())[Symbol.asyncIterator]()
    const pull = iterator.next()
    await drainMicrotasks()
    const leaving = iterator.return?.()
    await clock.advance(1_000)
    expect(await pull).toEqual({ done: true, value: undefined })
    expect(await leaving).toEqual({ done: true, value: undefined })
    expect(await iterator.next()).toEqual({ done: true, value: undefined })
    expect(clock.pending).toBe(0)
  })

  it('that nobody ever read leaves nothing', async () => {
    const setup = await setUp(listeners)
    const iterator = setup.test.llm.stream(ask({ signal: setup.controller.signal }))[Symbol.asyncIterator]()
    expect(await iterator.return?.()).toEqual({ done: true, value: undefined })
    expect(await iterator.next()).toEqual({ done: true, value: undefined })
    expect(setup.adapter.requests).toEqual([])
    await expectNothingLeft(setup)
  })
})

describe('An adapter that is deaf (L8)', () => {
  const deaf = (): object => ({
    [Symbol.asyncIterator]: () => ({ next: () => new Promise(() => {}), return: () => new Promise(() => {}) }),
  })

  it('holds a reader that leaves for cleanupMs at most', async () => {
    const { llm, clock } = await startTestLlm(deaf)
    const iterator = llm.stream(ask())[Symbol.asyncIterator]()
    void iterator.next()
    let left = false
    void iterator.return?.().then(() => (left = true))
    await clock.advance(999)
    expect(left).toBe(false)
    await clock.advance(1)
    expect(left).toBe(true)
    expect(clock.pending).toBe(0)
  })

  it('holds it also where a listener left its run behind', async () => {
    const { llm, clock, listen } = await startTestLlm(deaf)
    listen('careless', async function* (_request: GenerateOptions, next: Next) {
      void next()[Symbol.asyncIterator]().next()
      yield* [open(0), open(1)]
    })
    const iterator = llm.stream(ask())[Symbol.asyncIterator]()
    await iterator.next()
    let left = false
    void iterator.return?.().then(() => (left = true))
    await clock.advance(999)
    expect(left).toBe(false)
    await clock.advance(1)
    expect([left, clock.pending]).toEqual([true, 0])
  })

  it('is closed where the abort came while it opened', async () => {
    const controller = new AbortController()
    let returned = 0
    const { llm } = await startTestLlm(() => {
      controller.abort()
      const close = async (): Promise<object> => [{ done: true }, (returned += 1)][0] as object
      return { [Symbol.asyncIterator]: () => ({ next: () => new Promise(() => {}), return: close }) }
    })
    expect(summary(await read(llm.stream(ask({ signal: controller.signal }))))).toBe('aborted ABORTED')
    expect(returned).toBe(1)
  })

  it('still hears of it on its own signal', async () => {
    const requests: AdapterRequest[] = []
    const { llm } = await startTestLlm((request) => {
      requests.push(request)
      return deaf()
    })
    const iterator = llm.stream(ask())[Symbol.asyncIterator]()
    void iterator.next()
    void iterator.return?.()
    expect(requests[0]?.signal.aborted).toBe(true)
  })
})

describe('A listener that ignores the abort (L8)', () => {
  const hanging: [how: string, listener: StreamListener][] = [
    ['before it answers', () => new Promise<never>(() => {})],
    [
      'before its first chunk',
      async function* (): AsyncGenerator<StreamChunk> {
        await new Promise(() => {})
      },
    ],
    [
      'between chunks',
      async function* (): AsyncGenerator<StreamChunk> {
        yield open(0)
        await new Promise(() => {})
      },
    ],
    [
      'although the adapter has finished',
      async function* (_request, next): AsyncGenerator<StreamChunk> {
        for await (const chunk of next()) if (chunk.type === 'finish') await new Promise(() => {})
      },
    ],
  ]

  it.each(hanging)('%s is overruled after cleanupMs', async (_how, listener) => {
    const controller = new WatchedController()
    const { llm, listen, clock, errors } = await startTestLlm(() => stream(...says('a')))
    listen('deaf', listener)
    const reading = read(llm.stream(ask({ signal: controller.signal })))
    controller.abort()
    await clock.advance(999)
    const early = await reading
    expect(early.state).toBe('hangs')
    await clock.advance(1)
    expect(summary(early)).toBe('aborted ABORTED')
    expect([controller.listeners, clock.pending, errors.length]).toEqual([0, 0, 0])
  })

  it("cannot drop the caller's signal by leaving it out of its request", async () => {
    const controller = new WatchedController()
    const { llm, listen } = await startTestLlm(() => ({
      [Symbol.asyncIterator]: () => ({ next: () => new Promise(() => {}) }),
    }))
    listen('careless', ((request, next) =>
      next({ provider: 'p', model: 'm', messages: request.messages })) satisfies StreamListener)
    const reading = read(llm.stream(ask({ signal: controller.signal })))
    controller.abort()
    expect(summary(await reading)).toBe('aborted ABORTED')
    expect(controller.listeners).toBe(0)
  })

  it('may end a run by a signal of its own', async () => {
    const own = new WatchedController()
    const controller = new WatchedController()
    const { llm, listen } = await startTestLlm(() => ({
      [Symbol.asyncIterator]: () => ({ next: () => new Promise(() => {}) }),
    }))
    listen('impatient', ((request, next) => next({ ...request, signal: own.signal })) satisfies StreamListener)
    const reading = read(llm.stream(ask({ signal: controller.signal })))
    own.abort('too slow')
    const outcome = await reading
    expect(outcome.chunks.at(-1)).toMatchObject({
      reason: {
        kind: 'aborted',
        failure: { code: 'ABORTED', message: 'The call was aborted: too slow' },
      },
    })
    expect([own.listeners, controller.listeners]).toEqual([0, 0])
  })

  it('whose clean-up hangs holds a reader that leaves for cleanupMs at most', async () => {
    const { llm, listen, clock } = await startTestLlm(() => stream(...says('a')))
    listen('slow', async function* (_request: GenerateOptions, next: Next) {
      try {
        yield* next()
      } finally {
        await new Promise(() => {})
      }
    })
    const iterator = llm.stream(ask())[Symbol.asyncIterator]()
    await iterator.next()
    let left = false
    void iterator.return?.().then(() => (left = true))
    await clock.advance(999)
    expect(left).toBe(false)
    await clock.advance(1)
    expect(left).toBe(true)
    expect(clock.pending).toBe(0)
  })

  it('whose clean-up throws is heard by the reader that leaves, and named (L7)', async () => {
    const { llm, listen, errors } = await startTestLlm(() => stream(...says('a')))
    const fault = new Error('cannot clean up')
    const untidy = {
      next: async () => ({ done: false, value: open(0) }),
      return: () => Promise.reject(fault),
    }
    listen('untidy', () => ({ [Symbol.asyncIterator]: () => untidy }))
    const iterator = llm.stream(ask())[Symbol.asyncIterator]()
    await iterator.next()
    await expect(iterator.return?.()).rejects.toBe(fault)
    expect(errors).toEqual([['untidy', fault]])
  })
})

describe('abortable', () => {
  it('gives what the promise gives and leaves no listener', async () => {
    const controller = new WatchedController()
    expect(await abortable(Promise.resolve(1), controller.signal)).toBe(1)
    await expect(abortable(Promise.reject(new Error('no')), controller.signal)).rejects.toThrow('no')
    expect(controller.listeners).toBe(0)
  })

  it('rejects at once with the reason of the abort', async () => {
    const controller = new WatchedController()
    const waiting = abortable(new Promise(() => {}), controller.signal)
    controller.abort(new Error('enough'))
    await expect(waiting).rejects.toMatchObject({
      code: 'ABORTED',
      message: 'The call was aborted: enough',
    })
    await expect(abortable(Promise.resolve(1), controller.signal)).rejects.toMatchObject({ code: 'ABORTED' })
  })

  it('needs no signal, and takes a promise whose then throws', async () => {
    expect(await abortable(Promise.resolve(1), undefined)).toBe(1)
    const controller = new WatchedController()
    const hostile = {
      then: (): never => {
        throw new Error('then')
      },
    }
    await expect(abortable(hostile as unknown as Promise<void>, controller.signal)).rejects.toThrow('then')
    expect(controller.listeners).toBe(0)
  })

  it('drops what a promise does after the abort', async () => {
    const unhandled = await unhandledDuring(async () => {
      const controller = new AbortController()
      const gate = Promise.withResolvers<void>()
      const waiting = abortable(gate.promise, controller.signal)
      controller.abort()
      await expect(waiting).rejects.toMatchObject({ code: 'ABORTED' })
      gate.reject(new Error('late'))
    })
    expect(unhandled).toEqual([])
  })
})

describe('An unfinished tool call', () => {
  it('is left open by an abort', async () => {
    const controller = new AbortController()
    const { llm } = await startTestLlm(() => stream(...calls('{}')))
    const chunks: StreamChunk[] = []
    for await (const chunk of llm.stream(ask({ signal: controller.signal }))) {
      chunks.push(chunk)
      if (chunk.type === 'tool-call-delta') controller.abort()
    }
    expect(chunks.map(({ type }) => type)).toEqual(['block-start', 'tool-call-delta', 'finish'])
  })
})

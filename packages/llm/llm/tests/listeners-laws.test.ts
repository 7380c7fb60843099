import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  type AttemptChunk,
  BlockAssembler,
  collect,
  type GenerateOptions,
  type StreamChunk,
  StreamPriority,
  tapStream,
} from '../src/index.ts'
import { attempt, close, delta, failed, failure, open, says, stream } from './support/chunks.ts'
import { FunctionAdapter } from './support/function-adapter.ts'
import { read, summary, textOf } from './support/outcome.ts'
import { ask, startTestLlm, type StreamListener } from './support/test-llm.ts'

type Next = Parameters<StreamListener>[1]

/** Runs the rest of the chain again after a failure, as a retry would. */
async function* retrying(next: Next, times: number): AsyncGenerator<StreamChunk> {
  for (let left = times; ; left -= 1) {
    for await (const chunk of next()) {
      if (left > 1 && chunk.type === 'finish' && chunk.reason.kind === 'error') {
        // Any number will do: the edge counts for itself.
        yield { type: 'attempt', attempt: 99, failure: chunk.reason.failure, delayMs: 0 }
        break
      }
      yield chunk
      if (chunk.type === 'finish') return
    }
  }
}

const retry =
  (times: number): StreamListener =>
  (_request, next) =>
    retrying(next, times)

const numbers = (chunks: readonly StreamChunk[]): readonly number[] =>
  chunks.filter((chunk): chunk is AttemptChunk => chunk.type === 'attempt').map((chunk) => chunk.attempt)

describe('next() of a stream listener (C5)', () => {
  it('called twice runs the inner chain twice', async () => {
    const adapter = new FunctionAdapter(() =>
      adapter.requests.length === 1 ? stream(failed('SERVER')) : stream(...says('ok')),
    )
    const { llm, own, listen } = await startTestLlm()
    await own('plugin', ['p'], adapter)
    let entered = 0
    listen('retry', retry(2), 1)
    listen('inner', ((_request, next) => {
      entered += 1
      return next()
    }) satisfies StreamListener)
    const outcome = await read(llm.stream(ask()))
    expect(summary(outcome)).toBe('stop')
    expect([entered, adapter.requests.length]).toEqual([2, 2])
  })

  it('passes another request inward, and the message names who really answered', async () => {
    const { llm, own, listen } = await startTestLlm(() => stream(...says('from p')))
    const other = new FunctionAdapter(() => stream(...says('from q')))
    await own('other', ['q'], other)
    listen('route', ((request, next) =>
      next({ ...request, provider: 'q', model: 'n' })) satisfies StreamListener)
    const answer = await llm.generate(ask())
    expect(answer.text).toBe('from q')
    expect(answer.message?.source).toEqual({ kind: 'model', provider: 'q', model: 'n' })
    expect(other.requests[0]).toMatchObject({ provider: 'q', model: 'n' })
  })

  it('reroutes a failed call after an attempt', async () => {
    const { llm, own, listen } = await startTestLlm(() =>
      stream(open(0), delta(0, 'void'), failed('OVERLOADED')),
    )
    await own('other', ['q'], new FunctionAdapter(() => stream(...says('saved'))))
    listen('route', async function* (request: GenerateOptions, next: Next) {
      for await (const chunk of next()) {
        if (chunk.type === 'finish') break
        yield chunk
      }
      yield attempt(2, 'OVERLOADED')
      yield* next({ ...request, provider: 'q' })
    })
    const answer = await llm.generate(ask())
    expect(answer.text).toBe('saved')
    expect(answer.message?.source).toMatchObject({ provider: 'q' })
    expect(answer.attempts).toEqual([{ failure: failure('OVERLOADED'), delayMs: 0 }])
  })

  it('gives every frame the request it was called with', async () => {
    const { llm, listen } = await startTestLlm(() => stream(...says('a')))
    const seen: string[] = []
    const see: StreamListener = (request, next) => {
      seen.push(request.model)
      return next()
    }
    listen('outer', see, 2)
    listen('middle', ((request, next) => next({ ...request, model: 'other' })) satisfies StreamListener, 1)
    listen('inner', see, 0)
    await read(llm.stream(ask()))
    expect(seen).toEqual(['m', 'other'])
  })

  it('is not needed: a listener that answers by itself keeps the adapter out', async () => {
    const adapter = new FunctionAdapter(() => stream(...says('adapter')))
    const { llm, own, listen } = await startTestLlm()
    await own('plugin', ['p'], adapter)
    listen('cache', () => stream(...says('cached')), StreamPriority.cache)
    expect(textOf((await read(llm.stream(ask()))).chunks)).toBe('cached')
    expect(adapter.requests).toEqual([])
  })

  it('still works when the call is over, for whoever reads it then', async () => {
    const adapter = new FunctionAdapter(() => stream(...says('adapter')))
    const { llm, own, listen } = await startTestLlm()
    await own('plugin', ['p'], adapter)
    let late: Next | undefined
    listen('cache', (_request: GenerateOptions, next: Next) => {
      late = next
      return stream(...says('stale'))
    })
    expect(textOf((await read(llm.stream(ask()))).chunks)).toBe('stale')
    const refreshed = late === undefined ? undefined : await collect(late())
    expect(refreshed?.text).toBe('adapter')
  })

  it('gives nothing any more once the consumer has left', async () => {
    const adapter = new FunctionAdapter(() => stream(...says('adapter')))
    const { llm, own, listen } = await startTestLlm()
    await own('plugin', ['p'], adapter)
    let late: Next | undefined
    listen('cache', (_request: GenerateOptions, next: Next) => {
      late = next
      return stream(...says('stale'))
    })
    for await (const chunk of llm.stream(ask())) if (chunk.type === 'block-start') break
    const refused = late === undefined ? undefined : await read(late())
    expect(refused && summary(refused)).toBe('aborted ABORTED')
    expect(adapter.requests).toEqual([])
  })

  it('gives nothing any more once the edge has overruled the listener', async () => {
    const adapter = new FunctionAdapter(() => stream(...says('adapter')))
    const { llm, own, listen, clock } = await startTestLlm()
    await own('plugin', ['p'], adapter)
    const controller = new AbortController()
    let late: Next | undefined
    listen('deaf', (request: GenerateOptions, next: Next) => {
      late = () => next({ ...request, signal: undefined })
      return new Promise<never>(() => {})
    })
    const reading = read(llm.stream(ask({ signal: controller.signal })), clock)
    controller.abort()
    expect(summary(await reading)).toBe('aborted ABORTED')
    expect(late && summary(await read(late()))).toBe('aborted ABORTED')
    expect(adapter.requests).toEqual([])
  })

  it('left while a listener further in still thinks does not open what that one gives', async () => {
    const gate = Promise.withResolvers<void>()
    const { llm, listen } = await startTestLlm(() => stream(...says('a')))
    let opened = 0
    listen(
      'outer',
      async function* (_request: GenerateOptions, next: Next) {
        const iterator = next()[Symbol.asyncIterator]()
        const pull = iterator.next()
        await iterator.return?.()
        gate.resolve()
        expect(await pull).toEqual({ done: true, value: undefined })
        yield* says('outer')
      },
      1,
    )
    listen('thinking', async () => {
      await gate.promise
      return { [Symbol.asyncIterator]: () => [(opened += 1), stream(...says('late'))][1] }
    })
    expect(textOf((await read(llm.stream(ask()))).chunks)).toBe('outer')
    expect(opened).toBe(0)
  })

  it('kept from another call does not end with this one', async () => {
    const { llm, ctx, listen, clock } = await startTestLlm(() => stream(...says('a')))
    let kept: Next | undefined
    listen('keeper', (_request: GenerateOptions, next: Next) => {
      const use = kept ?? next
      kept = next
      return use()
    })
    expect(summary(await read(llm.stream(ask())))).toBe('stop')
    expect(summary(await read(llm.stream(ask())))).toBe('stop')
    // An unload would wait for a call that never learnt of its end.
    await ctx.dispose()
    expect(clock.pending).toBe(0)
  })

  it('may run beside the answer without ending it', async () => {
    const gate = Promise.withResolvers<void>()
    const adapter = new FunctionAdapter(async function* () {
      const isShadow = adapter.requests.length === 1
      yield open(0)
      if (!isShadow) await gate.promise
      yield* says('answer').slice(1)
    })
    const { llm, own, listen } = await startTestLlm()
    await own('plugin', ['p'], adapter)
    const shadows: string[] = []
    listen('shadow', (_request: GenerateOptions, next: Next) => {
      const answer = next()
      void collect(next()).then(({ text }) => {
        shadows.push(text)
        gate.resolve()
      })
      return answer
    })
    const outcome = await read(llm.stream(ask()))
    expect(summary(outcome)).toBe('stop')
    expect(shadows).toEqual(['answer'])
  })
})

describe('What next() gave (L7)', () => {
  it('comes back as it is through listeners that return it', async () => {
    const { llm, listen } = await startTestLlm(() => stream(...says('a')))
    const seen: unknown[] = []
    const pass: StreamListener = (_request, next) => {
      const inner = next()
      seen.push(inner)
      return inner
    }
    for (const name of ['one', 'two', 'three']) listen(name, pass)
    await read(llm.stream(ask()))
    expect(new Set(seen).size).toBe(1)
  })

  it('may be tapped any number of times, each tap seeing each chunk in order', async () => {
    const { llm, listen } = await startTestLlm(() => stream(...says('a')))
    const seen: string[] = []
    const tap =
      (name: string): StreamListener =>
      (_request, next) =>
        tapStream(next(), (chunk) => void seen.push(`${name} ${chunk.type}`))
    listen('outer', tap('outer'), 1)
    listen('inner', tap('inner'), 0)
    await read(llm.stream(ask()))
    expect(seen.slice(0, 4)).toEqual([
      'inner block-start',
      'outer block-start',
      'inner text-delta',
      'outer text-delta',
    ])
    expect(seen.length).toBe(8)
  })

  it('is always a stream, also where a listener answers with a promise or an array', async () => {
    const { llm, listen } = await startTestLlm(() => stream(...says('a')))
    listen(
      'outer',
      async function* (_request: GenerateOptions, next: Next) {
        for await (const chunk of next()) yield chunk
      },
      1,
    )
    listen('inner', async () => says('array'))
    expect(textOf((await read(llm.stream(ask()))).chunks)).toBe('array')
  })

  it('answers two pulls at once before it is opened', async () => {
    const { llm, listen } = await startTestLlm(() => stream(...says('a')))
    let types: unknown
    listen(
      'outer',
      async function* (_request: GenerateOptions, next: Next) {
        const iterator = next()[Symbol.asyncIterator]()
        const results = await Promise.all([iterator.next(), iterator.next(), iterator.next()])
        types = results.map(({ value }) => (value as StreamChunk).type)
        yield* says('outer')
      },
      1,
    )
    listen('inner', async (_request: GenerateOptions, next: Next) => next())
    await read(llm.stream(ask()))
    expect(types).toEqual(['block-start', 'text-delta', 'block-end'])
  })
})

describe('The number of an attempt', () => {
  it('counts up from 2 over the whole stream, whatever nested retries say', async () => {
    const { llm, listen } = await startTestLlm(() => stream(open(0), delta(0, 'x'), failed('SERVER')))
    listen('route', retry(2), StreamPriority.route)
    listen('retry', retry(3), StreamPriority.retry)
    const outcome = await read(llm.stream(ask()))
    expect(summary(outcome)).toBe('error SERVER')
    expect(numbers(outcome.chunks)).toEqual([2, 3, 4, 5, 6])
  })

  it('is set on a copy, so the listener keeps its own chunk (R12)', async () => {
    const mine = Object.freeze(attempt(7))
    const { llm, listen } = await startTestLlm(() => stream(...says('a')))
    listen('retry', () => stream(mine, ...says('b')))
    const { chunks } = await read(llm.stream(ask()))
    expect(chunks[0]).toEqual({ ...mine, attempt: 2 })
    expect(mine).toMatchObject({ attempt: 7 })
  })

  it('grows by one with each, for any depth of retries', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.integer({ min: 1, max: 3 }), { maxLength: 3 }), async (depths) => {
        const { llm, listen } = await startTestLlm(() => stream(open(0), delta(0, 'x'), failed('SERVER')))
        for (const [index, times] of depths.entries()) listen(`retry-${index}`, retry(times))
        const { chunks } = await read(llm.stream(ask()))
        const runs = depths.reduce((product, times) => product * times, 1)
        expect(numbers(chunks)).toEqual(Array.from({ length: runs - 1 }, (_none, index) => index + 2))
        const assembler = new BlockAssembler()
        for (const chunk of chunks) assembler.push(chunk)
        expect(assembler.attempts.length).toBe(runs - 1)
      }),
      { numRuns: 30 },
    )
  })
})

describe('A stream', () => {
  it('is lazy: nothing runs before the first pull, and nothing is thrown (L5)', async () => {
    const adapter = new FunctionAdapter(() => stream(...says('a')))
    const { llm, own, listen } = await startTestLlm()
    await own('plugin', ['p'], adapter)
    let entered = 0
    listen('counting', (_request: GenerateOptions, next: Next) => [(entered += 1), next()][1])
    const call = llm.stream(ask())
    expect([entered, adapter.requests.length]).toEqual([0, 0])
    await read(call)
    expect([entered, adapter.requests.length]).toEqual([1, 1])
  })

  it('keeps what listeners yielded untouched', async () => {
    const given = [open(0), delta(0, 'a'), close(0, 'a'), ...says('').slice(3)]
    const { llm, listen } = await startTestLlm(() => stream())
    listen('own', () => given)
    const { chunks } = await read(llm.stream(ask()))
    for (const [index, chunk] of given.entries()) expect(chunks[index]).toBe(chunk)
  })
})

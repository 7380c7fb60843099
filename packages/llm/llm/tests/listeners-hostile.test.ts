import { describe, expect, it } from 'vitest'
import { type GenerateOptions, type StreamChunk, tapStream } from '../src/index.ts'
import { close, delta, finish, open, says, stream } from './support/chunks.ts'
import { read, summary, textOf } from './support/outcome.ts'
import { ask, startTestLlm, type StreamListener } from './support/test-llm.ts'
import { unhandledDuring } from './support/unhandled.ts'

type Next = (...replacement: readonly unknown[]) => AsyncIterable<StreamChunk>
type Listener = (request: GenerateOptions, next: Next) => unknown

interface Row {
  readonly what: string
  readonly listener: Listener
  /** How the reader fares, as `summary` says it. */
  readonly ends: string
  /** The code of the error that reaches the reader and `internal/error`; the error is the plugin's own if absent. */
  readonly code?: string
  readonly text?: string
  /** Whether the plugin is named on `internal/error`. */
  readonly blamed: boolean
}

class OwnError extends Error {}
const boom = (): never => {
  throw new OwnError('own')
}
const fault = { ends: 'threw', blamed: true, code: 'LISTENER_PROTOCOL' }
const thrown = { ends: 'threw', blamed: true }
const innocent = { ends: 'stop', blamed: false }

async function* before(): AsyncGenerator<StreamChunk> {
  boom()
}

async function* between(next: Next): AsyncGenerator<StreamChunk> {
  for await (const chunk of next()) {
    if (chunk.type === 'text-delta') boom()
    yield chunk
  }
}

async function* after(next: Next): AsyncGenerator<StreamChunk> {
  yield* next()
  boom()
}

async function* withoutFinish(next: Next): AsyncGenerator<StreamChunk> {
  for await (const chunk of next()) if (chunk.type !== 'finish') yield chunk
}

const replay = (results: readonly unknown[]): object => {
  let at = 0
  return { [Symbol.asyncIterator]: () => ({ next: () => results[at++] }) }
}

const rows: Row[] = [
  { what: 'returns nothing', listener: () => undefined, ...fault },
  { what: 'returns null', listener: () => null, ...fault },
  { what: 'returns a number', listener: () => 7, ...fault },
  { what: 'returns a text', listener: () => 'chunks', ...fault },
  { what: 'returns a function', listener: () => boom, ...fault },
  { what: 'returns an object', listener: () => ({}), ...fault },
  { what: 'is async and returns nothing', listener: async () => {}, ...fault },
  { what: 'returns a promise of a number', listener: async () => 7, ...fault },
  {
    what: 'returns an iterable without iterator',
    listener: () => ({ [Symbol.asyncIterator]: () => null }),
    ...thrown,
    code: '',
  },
  { what: 'returns an iterable that throws', listener: () => ({ [Symbol.asyncIterator]: boom }), ...thrown },
  {
    what: 'returns a promise of next()',
    listener: async (_request, next) => next(),
    ...innocent,
    text: 'hello',
  },
  { what: 'returns an array of chunks', listener: () => says('own'), ...innocent, text: 'own' },
  { what: 'returns a generator of its own', listener: () => stream(...says('own')), ...innocent, text: 'own' },
  {
    what: 'returns a thenable of chunks',
    listener: () => ({ then: (done: (value: unknown) => void) => done(says('own')) }),
    ...innocent,
    text: 'own',
  },
  { what: 'returns a thenable that throws', listener: () => ({ then: boom }), ...thrown },
  { what: 'throws before', listener: boom, ...thrown },
  { what: 'rejects', listener: async () => boom(), ...thrown },
  { what: 'throws before its first chunk', listener: before, ...thrown },
  { what: 'throws between chunks', listener: (_request, next) => between(next), ...thrown },
  { what: 'throws after the finish', listener: (_request, next) => after(next), ...thrown },
  { what: 'throws in a tap', listener: (_request, next) => tapStream(next(), boom), ...thrown },
  {
    what: 'throws in the inner of two taps',
    listener: (_request, next) => tapStream(tapStream(next(), boom), () => {}),
    ...thrown,
  },
  {
    what: 'throws in a tap on chunks of its own',
    listener: () => tapStream(stream(...says('own')), boom),
    ...thrown,
  },
  { what: 'ends without a finish', listener: (_request, next) => withoutFinish(next), ...fault },
  { what: 'yields after the finish', listener: () => stream(...says('own'), delta(0, 'late')), ...fault },
  { what: 'yields a second finish', listener: () => stream(...says('own'), finish('stop')), ...fault },
  { what: 'yields what is no chunk', listener: () => stream(open(0), 'text'), ...fault },
  { what: 'yields a chunk of no known type', listener: () => stream({ type: 'text', text: 'a' }), ...fault },
  { what: 'yields a finish without a reason', listener: () => stream({ type: 'finish' }), ...fault },
  { what: 'gives results that are none', listener: () => replay([null]), ...fault },
  {
    what: 'gives results with throwing getters',
    listener: () =>
      replay([
        {
          get done(): boolean {
            return boom()
          },
        },
      ]),
    ...thrown,
  },
  {
    what: 'returns what it has read already',
    listener: async (_request, next) => readFirst(next()),
    ends: 'threw',
    blamed: true,
    code: 'STREAM_CONSUMED',
  },
  {
    what: 'returns what it has begun to read',
    listener: (_request, next) => begun(next()),
    ends: 'threw',
    blamed: true,
    code: 'STREAM_CONSUMED',
  },
  {
    what: 'taps what it has begun to read',
    listener: (_request, next) => tapStream(begun(next()), () => {}),
    ends: 'threw',
    blamed: true,
    code: 'STREAM_CONSUMED',
  },
  {
    what: 'taps a tap that it has begun to read',
    listener: (_request, next) => tapStream(begun(tapStream(next(), () => {})), () => {}),
    ends: 'threw',
    blamed: true,
    code: 'STREAM_CONSUMED',
  },
  {
    what: 'changes the request',
    listener: (request, next) => [Object.assign(request, { model: 'other' }), next()],
    ends: 'threw',
    blamed: true,
    code: '',
  },
  {
    what: 'changes the messages',
    listener: (request, next) => [(request.messages as unknown[]).pop(), next()],
    ends: 'threw',
    blamed: true,
    code: '',
  },
  {
    what: 'passes on no request',
    listener: (_request, next) => next(null),
    ends: 'error INVALID_REQUEST',
    blamed: false,
  },
  {
    what: 'passes on half a request',
    listener: (_request, next) => next({ provider: 'p' }),
    ends: 'error INVALID_REQUEST',
    blamed: false,
  },
  {
    what: 'reroutes to nobody',
    listener: (request, next) => next({ ...request, provider: 'x' }),
    ends: 'error NO_ADAPTER',
    blamed: false,
  },
  { what: 'calls next() twice', listener: (_request, next) => [next(), next()][1], ...innocent, text: 'hello' },
]

async function readFirst(given: AsyncIterable<StreamChunk>): Promise<AsyncIterable<StreamChunk>> {
  for await (const chunk of given) if (chunk.type === 'block-start') break
  return given
}

function begun(given: AsyncIterable<StreamChunk>): AsyncIterable<StreamChunk> {
  given[Symbol.asyncIterator]()
  return given
}

const passing: StreamListener = async function* (_request, next) {
  yield* next()
}

/** Listeners that do nothing wrong, around and inside the one that does. */
const company: [how: string, others: StreamListener[]][] = [
  ['alone', []],
  ['between generators', [passing, passing]],
  [
    'between taps',
    [(_request, next) => tapStream(next(), () => {}), (_request, next) => tapStream(next(), () => {})],
  ],
  ['between listeners that return next()', [(_request, next) => next(), async (_request, next) => next()]],
]

describe.each(company)('A listener at fault, %s (L7)', (_how, [outer, inner]) => {
  it.each(rows)('that $what', async ({ listener, ends, code, text, blamed }) => {
    const unhandled = await unhandledDuring(async () => {
      const { llm, listen, clock, errors } = await startTestLlm(() => stream(...says('hello')))
      if (outer !== undefined) listen('outer', outer, 1)
      listen('bad', listener)
      if (inner !== undefined) listen('inner', inner, -1)
      const outcome = await read(llm.stream(ask()), clock)
      expect(summary(outcome)).toBe(ends)
      if (text !== undefined) expect(textOf(outcome.chunks)).toBe(text)
      expect(errors.map(([plugin]) => plugin)).toEqual(blamed ? ['bad'] : [])
      if (blamed) expect(outcome.error).toBe(errors[0]?.[1])
      if (blamed && code === undefined) expect(outcome.error).toBeInstanceOf(OwnError)
      if (code !== undefined && code !== '') expect(outcome.error).toMatchObject({ code })
      if (code === 'LISTENER_PROTOCOL') expect(String(outcome.error)).toContain('listener of plugin "bad"')
      expect(clock.pending).toBe(0)
    })
    expect(unhandled).toEqual([])
  })
})

describe('A listener that throws', () => {
  it('lets the reader have what came before', async () => {
    const { llm, listen } = await startTestLlm(() => stream(...says('hello')))
    listen('bad', (_request: GenerateOptions, next: Next) => between(next))
    expect((await read(llm.stream(ask()))).chunks).toEqual([open(0)])
  })

  it('may throw a primitive, which is reported once although it looks like any other', async () => {
    const { llm, listen, errors } = await startTestLlm(() => stream(...says('hello')))
    listen('outer', passing, 1)
    listen('bad', async function* () {
      yield open(0)
      throw 'words'
    })
    expect(await read(llm.stream(ask()))).toMatchObject({ state: 'threw', error: 'words' })
    expect(errors).toEqual([['bad', 'words']])
  })

  it('is blamed anew for the same primitive in the next call', async () => {
    const { llm, listen, errors } = await startTestLlm(() => stream(...says('hello')))
    listen('bad', async () => {
      throw 'words'
    })
    await read(llm.stream(ask()))
    await read(llm.stream(ask()))
    expect(errors).toEqual([
      ['bad', 'words'],
      ['bad', 'words'],
    ])
  })

  it('closes what it read from', async () => {
    let returned = 0
    const { llm, listen } = await startTestLlm(async function* () {
      try {
        yield* says('hello')
      } finally {
        returned += 1
      }
    })
    listen('bad', (_request: GenerateOptions, next: Next) => between(next))
    await read(llm.stream(ask()))
    expect(returned).toBe(1)
  })

  it('may hold its clean-up back: the breach is told at once', async () => {
    const { llm, listen } = await startTestLlm(() => stream(...says('hello')))
    listen('bad', async function* () {
      try {
        yield* [open(0), close(0, ''), finish('max-tokens'), finish('stop')]
      } finally {
        await new Promise(() => {})
      }
    })
    expect(await read(llm.stream(ask()))).toMatchObject({
      state: 'threw',
      error: { code: 'LISTENER_PROTOCOL' },
    })
  })

  it('in a nested call is named once, and its own caller is not', async () => {
    const { llm, listen, errors } = await startTestLlm(() => stream(...says('hello')))
    listen('nesting', (request: GenerateOptions, next: Next) =>
      request.purpose === undefined ? llm.stream({ ...request, purpose: 'compaction' }) : next(),
    )
    listen('bad', (_request: GenerateOptions, next: Next) => after(next), -1)
    expect(await read(llm.stream(ask()))).toMatchObject({ state: 'threw', error: { message: 'own' } })
    expect(errors.map(([plugin]) => plugin)).toEqual(['bad'])
  })
})

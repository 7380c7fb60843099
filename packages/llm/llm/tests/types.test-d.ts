import { type Context, type PluginTraits, Service } from 'dsh-context'
import { describe, expectTypeOf, it } from 'vitest'
import {
  assertNever,
  type CollectedAnswer,
  type ContentBlock,
  createLlm,
  createMessage,
  createUserMessage,
  type FinishOutcome,
  type FinishReason,
  type GenerateOptions,
  LlmAdapter,
  type LlmFailure,
  type LlmRuntime,
  type Message,
  type MessageSource,
  type StreamChunk,
  StreamPriority,
  tapStream,
  use,
} from '../src/index.ts'

declare module 'dsh-llm' {
  interface ContentBlockMap {
    'fixture-image': { readonly url: string }
  }
  interface FinishReasonMap {
    'fixture-paused': { readonly until: number }
  }
  interface MessageSourceMap {
    'fixture-feed': { readonly feed: string }
  }
  interface ProviderOptionsMap {
    fixtureFamily: { readonly level: number }
  }
}

declare module 'dsh-context' {
  interface Events {
    'fixture/spent': (tokens: number) => void
  }
  interface Context {
    fixtureMeter: FixtureMeter
  }
}

class FixtureMeter extends Service {
  constructor(ctx: Context) {
    super(ctx, 'fixtureMeter')
  }
}

declare const ctx: Context
declare const schema: NonNullable<PluginTraits<{ url: string }, { url: URL }>['Config']>
declare function lengthOf(chunk: StreamChunk): number

describe('The vocabulary, merged from outside', () => {
  it('knows blocks of other packages', () => {
    createUserMessage([{ type: 'fixture-image', url: 'https://example.org' }])
    // @ts-expect-error a field of the merged block is missing
    createUserMessage([{ type: 'fixture-image' }])
    // @ts-expect-error nobody merged this kind
    createUserMessage([{ type: 'fixture-video', url: 'https://example.org' }])
    expectTypeOf<Extract<ContentBlock, { type: 'fixture-image' }>['url']>().toEqualTypeOf<string>()
  })

  it('knows finish reasons of other packages', () => {
    expectTypeOf<Extract<FinishReason, { kind: 'fixture-paused' }>['until']>().toEqualTypeOf<number>()
    const paused: FinishReason = { kind: 'fixture-paused', until: 1 }
    // @ts-expect-error an error has a failure
    const stop: FinishReason = { kind: 'error' }
    void [paused, stop]
  })

  it('knows sources of other packages', () => {
    const source: MessageSource = { kind: 'fixture-feed', feed: 'news' }
    createMessage({ role: 'user', content: 'hello', source })
    // @ts-expect-error a field of the merged source is missing
    createMessage({ role: 'user', content: 'hello', source: { kind: 'fixture-feed' } })
  })

  it('knows provider options of other packages', () => {
    const base = { provider: 'p', model: 'm', messages: [] }
    const options: GenerateOptions = { ...base, providerOptions: { fixtureFamily: { level: 1 } } }
    // @ts-expect-error wrong type
    const wrong: GenerateOptions = { ...base, providerOptions: { fixtureFamily: { level: '1' } } }
    // @ts-expect-error nobody merged this family
    const unknown: GenerateOptions = { ...base, providerOptions: { fixtureOther: {} } }
    void [options, wrong, unknown]
  })

  it('knows services and events of other packages', () => {
    expectTypeOf(ctx.fixtureMeter).toEqualTypeOf<FixtureMeter>()
    expectTypeOf(ctx.llm).toEqualTypeOf<LlmRuntime>()
    ctx.emit('fixture/spent', 7)
    ctx.on('llm/adapters-updated', () => {})
    // @ts-expect-error wrong argument
    ctx.emit('fixture/spent', '7')
  })
})

describe('StreamChunk', () => {
  it('is closed: a switch over all kinds leaves nothing', () => {
    const name = (chunk: StreamChunk): string => {
      switch (chunk.type) {
        case 'block-start':
        case 'text-delta':
        case 'reasoning-delta':
        case 'tool-call-delta':
        case 'block-end':
        case 'usage':
        case 'attempt':
        case 'finish':
          return chunk.type
        default:
          return assertNever(chunk)
      }
    }
    expectTypeOf(name).returns.toEqualTypeOf<string>()
  })

  it('makes a forgotten kind a compile error', () => {
    const forgetful = (chunk: Extract<StreamChunk, { type: 'usage' | 'finish' }>): string => {
      if (chunk.type === 'finish') return chunk.type
      // @ts-expect-error usage is not handled
      return assertNever(chunk)
    }
    void forgetful
  })

  it('is read-only', () => {
    const change = (chunk: Extract<StreamChunk, { type: 'text-delta' }>, message: Message): void => {
      // @ts-expect-error chunks are not changed (R12)
      chunk.text = 'other'
      // @ts-expect-error messages are frozen
      message.content = []
    }
    void change
  })
})

describe('A listener of llm/stream', () => {
  it('is given the request and a next() that gives a stream (C5)', () => {
    ctx.on(
      'llm/stream',
      (request, next) => {
        expectTypeOf(request).toEqualTypeOf<GenerateOptions>()
        expectTypeOf(next()).toEqualTypeOf<AsyncIterable<StreamChunk>>()
        return next({ ...request, provider: 'q' })
      },
      { priority: StreamPriority.route },
    )
  })

  it('may be async, a generator, or a tap', () => {
    ctx.on('llm/stream', async (_request, next) => next())
    ctx.on('llm/stream', async function* (_request, next) {
      for await (const chunk of next()) yield chunk
    })
    ctx.on('llm/stream', (_request, next) => tapStream(next(), (chunk) => void lengthOf(chunk)))
  })

  it('that returns nothing is a compile error', () => {
    // @ts-expect-error returns nothing
    ctx.on('llm/stream', () => {})
    // @ts-expect-error forgets to return next()
    ctx.on('llm/stream', (_request, next) => {
      next()
    })
    // @ts-expect-error an async one that returns nothing
    ctx.on('llm/stream', async () => {})
    // @ts-expect-error yields no chunks
    ctx.on('llm/stream', async function* () {
      yield 'text'
    })
  })

  it('that passes a wrong replacement is a compile error', () => {
    // @ts-expect-error no request
    ctx.on('llm/stream', (_request, next) => next('other'))
    // @ts-expect-error half a request
    ctx.on('llm/stream', (_request, next) => next({ provider: 'q' }))
    // @ts-expect-error too much
    ctx.on('llm/stream', (request, next) => next(request, request))
  })

  it('that changes the request is a compile error (L5)', () => {
    ctx.on('llm/stream', (request, next) => {
      // @ts-expect-error read-only
      request.model = 'other'
      // @ts-expect-error read-only
      request.messages.push(createUserMessage('more'))
      return next()
    })
  })
})

describe('use', () => {
  const configured = (context: Context, config: { size: number }): void => void [context, config]
  const parsed = {
    name: 'parsed',
    Config: schema,
    apply(_context: Context, config: { url: URL }): void {
      void config
    },
  }

  it('pairs a plugin with its config (L12)', () => {
    void createLlm({
      plugins: [use(configured, { size: 1 }), use(parsed, { url: 'https://example.org' }), use(FixtureMeter)],
    })
    void createLlm({ plugins: [FixtureMeter, { name: 'plain', apply() {} }, () => {}] })
  })

  it('with a wrong config is a compile error', () => {
    // @ts-expect-error missing
    use(configured)
    // @ts-expect-error wrong type
    use(configured, { size: '1' })
    // @ts-expect-error what the schema gives is not what it takes
    use(parsed, { url: new URL('https://example.org') })
    // @ts-expect-error takes no config
    use(FixtureMeter, { size: 1 })
    // @ts-expect-error a plugin that needs a config does not stand for itself
    void createLlm({ plugins: [configured] })
  })
})

describe('An answer', () => {
  it('has a message only sometimes, and a finish always', () => {
    expectTypeOf<CollectedAnswer['message']>().toEqualTypeOf<Message | undefined>()
    expectTypeOf<CollectedAnswer['finish']>().toEqualTypeOf<FinishOutcome>()
    expectTypeOf<FinishOutcome['failure']>().toEqualTypeOf<LlmFailure | undefined>()
  })
})

describe('LlmAdapter', () => {
  it('needs stream() alone', () => {
    class Least extends LlmAdapter {
      override stream(): AsyncIterable<StreamChunk> {
        return (async function* () {})()
      }
    }
    void new Least()
    // @ts-expect-error stream() is missing
    class None extends LlmAdapter {}
    void None
  })
})

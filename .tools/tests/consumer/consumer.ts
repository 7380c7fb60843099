// A package of somebody else, who merges kinds of his own into the vocabulary and relies on what the compiler refuses.
import { type Context, Service, type Waterfall } from 'dsh-context'
import {
  assertNever,
  type ContentBlock,
  createAssistantMessage,
  createLlm,
  createUserMessage,
  type FinishReason,
  type GenerateOptions,
  LlmAdapter,
  type LlmFailure,
  type MessageSource,
  type StreamChunk,
  tapStream,
  use,
} from 'dsh-llm'
import deepseek from 'dsh-llm-deepseek'
import openaiCompatible from 'dsh-llm-openai-compatible'

declare module 'dsh-llm' {
  interface ContentBlockMap {
    image: { readonly url: string }
  }
  interface FinishReasonMap {
    refusal: { readonly explanation: string }
  }
  interface MessageSourceMap {
    webhook: { readonly delivery: string }
  }
  interface ProviderOptionsMap {
    acme: { readonly tier?: 'fast' | 'cheap' | undefined }
  }
}

declare module 'dsh-context' {
  interface Context {
    acme: AcmeService
  }
  interface Events {
    'acme/ready': (name: string) => void
    'acme/choose': Waterfall<[names: readonly string[]], string>
  }
}

class AcmeService extends Service {
  static readonly provides = 'acme'

  constructor(ctx: Context) {
    super(ctx, 'acme')
  }

  greet(): string {
    return 'hello'
  }
}

class AcmeAdapter extends LlmAdapter {
  async *stream(): AsyncGenerator<StreamChunk> {
    yield { type: 'block-end', index: 0, block: { type: 'image', url: 'https://acme.example/a.png' } }
    yield { type: 'finish', reason: { kind: 'refusal', explanation: 'no' } }
  }
}

export function textOf(chunk: StreamChunk): string {
  switch (chunk.type) {
    case 'text-delta':
    case 'reasoning-delta':
      return chunk.text
    case 'tool-call-delta':
      return chunk.argumentsDelta
    case 'block-start':
    case 'block-end':
    case 'usage':
    case 'attempt':
    case 'finish':
      return ''
    default:
      return assertNever(chunk)
  }
}

export function incomplete(chunk: StreamChunk): string {
  if (chunk.type === 'text-delta') return chunk.text
  // @ts-expect-error the other kinds are not handled
  return assertNever(chunk)
}

export function describe(block: ContentBlock, reason: FinishReason, source: MessageSource): string {
  if (block.type === 'image') return block.url
  if (reason.kind === 'refusal') return reason.explanation
  return source.kind === 'webhook' ? source.delivery : ''
}

export function failureOf(reason: FinishReason): LlmFailure | undefined {
  return reason.kind === 'error' ? reason.failure : undefined
}

const request: GenerateOptions = {
  provider: 'acme',
  model: 'm',
  messages: [createUserMessage([{ type: 'image', url: 'https://acme.example/b.png' }])],
  providerOptions: { acme: { tier: 'fast' }, deepseek: { userId: 'me' } },
}

// @ts-expect-error the tier is no such word
export const wrongOptions: GenerateOptions = { ...request, providerOptions: { acme: { tier: 'dear' } } }

// @ts-expect-error a source needs its fields
createAssistantMessage({ content: [], source: { kind: 'webhook' } })

export async function run(): Promise<string> {
  const app = await createLlm({
    plugins: [
      use(deepseek, { apiKey: 'k' }),
      use(openaiCompatible, { providers: { a: { baseURL: 'http://a.example' } } }),
    ],
  })
  const { ctx, llm } = app
  await ctx.plugin(AcmeService)
  ctx.llm.registerAdapter(['acme'], new AcmeAdapter())
  ctx.on('acme/ready', (name) => void name.length)
  ctx.on('acme/choose', (names, next) => next([names[0] ?? '']))
  ctx.on('llm/stream', (given, next) => next({ ...given, provider: 'acme' }))
  ctx.on('llm/stream', (_given, next) => tapStream(next(), (chunk) => void textOf(chunk)))
  ctx.on('llm/stream', async function* (_given, next): AsyncGenerator<StreamChunk> {
    yield* next()
  })
  ctx.emit('acme/ready', ctx.acme.greet())
  const { finish } = await llm.generate(request)
  return finish.kind
}

export function refused(ctx: Context): void {
  // @ts-expect-error a listener that returns nothing
  ctx.on('llm/stream', (_given, next) => void next())
  // @ts-expect-error a replacement that is no request
  ctx.on('llm/stream', (_given, next) => next('other'))
  // @ts-expect-error two replacements for one argument
  ctx.on('llm/stream', (given, next) => next(given, given))
  // @ts-expect-error a chunk of no known kind
  ctx.on('llm/stream', async function* () {
    yield { type: 'noise' }
  })
  // @ts-expect-error an argument of the wrong type
  ctx.emit('acme/ready', 1)
  // @ts-expect-error an event nobody declared
  ctx.on('acme/unknown', () => {})
  // @ts-expect-error a config of the wrong type
  use(deepseek, { apiKey: 1 })
  // @ts-expect-error a config that is missing
  use(openaiCompatible)
  // @ts-expect-error an option that does not exist
  use(openaiCompatible, { providers: { a: { baseURL: 'http://a.example', baseUrl: '' } } })
  // @ts-expect-error a dialect that does not exist
  ctx.plugin(openaiCompatible, { providers: { a: { baseURL: 'http://a.example', dialect: 'esperanto' } } })
}

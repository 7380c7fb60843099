import type {
  AssistantMessage,
  AssistantMessageEvent,
  Context,
  Model,
  ProviderStreams,
  StreamOptions,
} from '@earendil-works/pi-ai'
import type { ApiName } from './api-names.ts'

/** An answer, also while it grows. */
export type PiMessage = AssistantMessage
/** A block of an answer. */
export type PiBlock = AssistantMessage['content'][number]
/** One event of pi-ai. Its `partial` is shared by all events of a stream and goes on changing. */
export type PiEvent = AssistantMessageEvent
/** A conversation. */
export type PiContext = Context
/** A call of a tool, its arguments parsed. */
export type PiToolCall = Extract<PiBlock, { type: 'toolCall' }>
/** A model with the facts by which it is called. */
export type PiModel = Model<ApiName>
/** What every protocol of pi-ai takes, and what only some do. */
export type PiOptions = StreamOptions & Readonly<Record<string, unknown>>

/** Everything pi-ai needs for one call. */
export interface PiCall {
  readonly model: PiModel
  readonly context: PiContext
  readonly options: PiOptions
}

/** Begins one call: the request leaves at once, not at the first pull. */
export type OpenPiStream = (call: PiCall) => Promise<AsyncIterable<PiEvent>>

/**
 * Each protocol with its SDK is loaded when it is first spoken: 20 to 180 ms and up to 40 MB, which a host that never
 * asks should not pay. All modules of pi-ai have this one shape for whoever dispatches between them.
 */
const loaders: Readonly<Record<ApiName, () => Promise<ProviderStreams>>> = {
  'openai-completions': () => import('@earendil-works/pi-ai/api/openai-completions'),
  'openai-responses': () => import('@earendil-works/pi-ai/api/openai-responses'),
  'azure-openai-responses': () => import('@earendil-works/pi-ai/api/azure-openai-responses'),
  'anthropic-messages': () => import('@earendil-works/pi-ai/api/anthropic-messages'),
  'google-generative-ai': () => import('@earendil-works/pi-ai/api/google-generative-ai'),
  'google-vertex': () => import('@earendil-works/pi-ai/api/google-vertex'),
  'mistral-conversations': () => import('@earendil-works/pi-ai/api/mistral-conversations'),
  'bedrock-converse-stream': () => import('@earendil-works/pi-ai/api/bedrock-converse-stream'),
}

/** Loads what the call needs of pi-ai and begins it. */
export async function openPiStream({ model, context, options }: PiCall): Promise<AsyncIterable<PiEvent>> {
  const [{ normalizeContext }, api] = await Promise.all([
    import('@earendil-works/pi-ai/utils/transcript'),
    loaders[model.api](),
  ])
  return api.stream(model, normalizeContext(context), options)
}

import {
  type AdapterRequest,
  ALL_OPTIONS,
  type ApiKeySource,
  type AppIdentity,
  attributionHeaders,
  type Clock,
  LlmAdapter,
  type LlmModelInfo,
  type LlmProviderInfo,
  type LlmResolvedModelInfo,
  type OptionName,
  resolveApiKey,
  type RetryPolicy,
  type StreamChunk,
} from 'dsh-llm'
import {
  type HttpLimitOptions,
  type HttpRequest,
  joinUrl,
  postEventStream,
  type ServerEvent,
} from 'dsh-llm-http'
import { type AnswerSource, AnswerStream } from './answer-stream.ts'
import type { Dialect } from './dialect.ts'
import { generic } from './dialects/generic.ts'
import { encodeRequest } from './encode.ts'
import { toHttpError } from './failure.ts'
import { lowerCased } from './lower-cased.ts'
import { type DeclaredModel, fetchModels, toModelInfo, toResolvedModelInfo } from './models.ts'
import { Translator } from './translate.ts'

/** One server, how it is reached and how it speaks. Other packages build on the adapter by giving their own dialect. */
export interface OpenAiCompatibleAdapterOptions {
  /** With or without a trailing slash, a version, the full path, a query string. */
  readonly baseURL: string
  /** `generic` by default. */
  readonly dialect?: Dialect | undefined
  /** Asked before each request. Without it and `apiKeyEnv` no key is sent, as local servers like it. */
  readonly apiKey?: ApiKeySource | undefined
  readonly apiKeyEnv?: string | undefined
  /** On every request; they win over those of a request, and lose against the key and the attribution. */
  readonly headers?: Readonly<Record<string, string>> | undefined
  readonly limits?: HttpLimitOptions | undefined
  /** Facts about models. If there are any, they are all that `listModels` offers; others can still be called. */
  readonly models?: readonly DeclaredModel[] | undefined
  /** How the provider is named to people; its route by default. */
  readonly displayName?: string | undefined
  readonly identity?: AppIdentity | undefined
  readonly retryPolicy?: Partial<RetryPolicy> | undefined
  readonly fetch?: typeof globalThis.fetch | undefined
  readonly clock?: Clock | undefined
  readonly onRequest?: HttpRequest['onRequest']
  readonly onResponse?: HttpRequest['onResponse']
}

/** Speaks to one Chat Completions server, in one dialect. Makes exactly one HTTP request per call. */
export class OpenAiCompatibleAdapter extends LlmAdapter {
  override readonly options: ReadonlySet<OptionName>
  readonly #config: OpenAiCompatibleAdapterOptions
  readonly #dialect: Dialect

  constructor(options: OpenAiCompatibleAdapterOptions) {
    super()
    this.#config = options
    this.#dialect = options.dialect ?? generic
    this.options = optionsOf(this.#dialect)
  }

  /** Sends nothing before the first pull. A failure before the answer begins is thrown, a later one is the finish. */
  stream(request: AdapterRequest): AsyncIterableIterator<StreamChunk> {
    return new AnswerStream(request.signal, (signal) => this.#open(request, signal))
  }

  override providerInfo(provider: string): LlmProviderInfo {
    return { id: provider, name: this.#config.displayName ?? provider }
  }

  /** The declared models, or what the server lists; other models can be called all the same. */
  override async listModels(provider: string, signal?: AbortSignal): Promise<readonly LlmModelInfo[]> {
    const { baseURL, models = [] } = this.#config
    if (models.length > 0) return models.map((model) => toModelInfo(provider, model))
    const base = baseURL.replace(/\/chat\/completions\/*(?=$|\?)/, '')
    return fetchModels(provider, {
      ...(await this.#connection(provider)),
      url: joinUrl(base, 'models'),
      signal,
    })
  }

  override async resolveModel(provider: string, model: string): Promise<LlmResolvedModelInfo> {
    const declared = this.#config.models?.find(({ id }) => id === model)
    return declared === undefined
      ? { provider, id: model, name: model }
      : toResolvedModelInfo(provider, declared)
  }

  override providerRetryPolicy(): Partial<RetryPolicy> | undefined {
    return this.#config.retryPolicy
  }

  /** The call, told in order: encode, authenticate, post, read. */
  async #open(request: AdapterRequest, signal: AbortSignal): Promise<AnswerSource<ServerEvent>> {
    const { body, callIds, toOriginalToolName } = encodeRequest(request, this.#dialect)
    const { provider, model } = request
    const url = joinUrl(this.#config.baseURL, 'chat/completions')
    const connection = await this.#connection(provider, request.headers)
    const stream = await postEventStream({ ...connection, url, body, signal, tellsContent: true })
    const translator = new Translator({
      provider,
      model,
      rules: this.#dialect.response,
      requestId: stream.requestId,
      redact: (text) => stream.redact(text),
      usedCallIds: callIds,
      toolName: toOriginalToolName,
    })
    return { stream, translator }
  }

  /** Everything of a request but its address, body and signal. */
  async #connection(
    provider: string,
    extra?: Readonly<Record<string, string>>,
  ): Promise<Omit<HttpRequest, 'url'>> {
    const { apiKey, apiKeyEnv, headers, limits, identity, fetch, clock, onRequest, onResponse } = this.#config
    const isOpen = apiKey === undefined && apiKeyEnv === undefined
    const key = isOpen ? undefined : await resolveApiKey({ apiKey, apiKeyEnv, provider })
    const rules = this.#dialect.response
    return {
      headers: {
        ...withoutReserved(extra),
        ...lowerCased(headers),
        ...attributionHeaders(identity),
        ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
      },
      secrets: key === undefined ? [] : [key],
      requestIdHeaders: rules.requestIdHeaders,
      classify: (response) => toHttpError(response, rules),
      limits,
      fetch,
      clock,
      onRequest,
      onResponse,
    }
  }
}

/** Everything a request may say that this dialect has a word for. */
function optionsOf({ request }: Dialect): ReadonlySet<OptionName> {
  return new Set([...ALL_OPTIONS].filter((name) => name !== 'seed' || request.seedField !== undefined))
}

/** Headers that a request may not set: authentication, attribution, and what describes the body. */
const reserved: ReadonlySet<string> = new Set([
  'authorization',
  'user-agent',
  'content-type',
  'content-length',
  'host',
])

function withoutReserved(headers: Readonly<Record<string, string>> = {}): Record<string, string> {
  return Object.fromEntries(Object.entries(lowerCased(headers)).filter(([name]) => !reserved.has(name)))
}

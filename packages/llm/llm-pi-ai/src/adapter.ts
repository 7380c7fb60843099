import {
  type AdapterRequest,
  LlmAdapter,
  type LlmModelInfo,
  type LlmProviderInfo,
  type LlmResolvedModelInfo,
  LlmError,
  type OptionName,
  type RetryPolicy,
  type StreamChunk,
} from 'dsh-llm'
import { AnswerStream } from 'dsh-llm-openai-compatible'
import { openCall } from './call.ts'
import { toModelInfo, toResolvedModelInfo } from './models.ts'
import { optionsOf } from './protocol.ts'
import { protocols } from './protocols.ts'
import { PiAiRoute, type PiAiProviderConfig } from './route.ts'

/** The routes of one adapter. */
export interface PiAiAdapterOptions {
  readonly providers: Readonly<Record<string, PiAiProviderConfig>>
}

/**
 * Speaks to any provider of pi-ai, one HTTP request for each call. Replay state goes back to all routes of an instance
 * that have the API and the model that gave it. pi-ai itself is loaded at the first call.
 */
export class PiAiAdapter extends LlmAdapter {
  /** What at least one API of the routes can carry; what the API of a model cannot is refused when it is called. */
  override readonly options: ReadonlySet<OptionName>
  readonly #routes: ReadonlyMap<string, PiAiRoute>

  constructor({ providers }: PiAiAdapterOptions) {
    super()
    const routes = Object.entries(providers).map(([name, config]) => new PiAiRoute(name, config))
    this.#routes = new Map(routes.map((route) => [route.name, route]))
    this.options = new Set(routes.flatMap(({ apis }) => apis.flatMap((api) => [...optionsOf(protocols[api])])))
  }

  /** Sends nothing before the first pull. */
  stream(request: AdapterRequest): AsyncIterableIterator<StreamChunk> {
    const route = this.#routeOf(request.provider)
    return new AnswerStream(request.signal, (signal) => openCall({ request, route, signal }))
  }

  override providerInfo(provider: string): LlmProviderInfo {
    return { id: provider, name: this.#routeOf(provider).config.displayName ?? provider }
  }

  /** Declared models and those of the catalogue, from local data. */
  override async listModels(provider: string): Promise<readonly LlmModelInfo[]> {
    const models = await this.#routeOf(provider).listModels()
    return models.map((model) => toModelInfo(provider, model))
  }

  override async resolveModel(provider: string, model: string): Promise<LlmResolvedModelInfo> {
    return toResolvedModelInfo(provider, await this.#routeOf(provider).findModel(model))
  }

  override providerRetryPolicy(provider: string): Partial<RetryPolicy> | undefined {
    return this.#routeOf(provider).config.retryPolicy
  }

  #routeOf(provider: string): PiAiRoute {
    const route = this.#routes.get(provider)
    if (route !== undefined) return route
    const known = [...this.#routes.keys()].join(', ')
    throw new LlmError(`This adapter has no route "${provider}", it has ${known}`, 'NO_ADAPTER')
  }
}

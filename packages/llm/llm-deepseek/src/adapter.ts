import {
  type AdapterRequest,
  LlmAdapter,
  type LlmModelInfo,
  type LlmProviderInfo,
  type LlmResolvedModelInfo,
  type OptionName,
  type RetryPolicy,
  type StreamChunk,
} from 'dsh-llm'
import { OpenAiCompatibleAdapter, type OpenAiCompatibleAdapterOptions } from 'dsh-llm-openai-compatible'
import { DEFAULT_BASE_URL, toBetaBaseUrl } from './base-url.ts'
import { deepSeekDialect } from './dialect.ts'
import { retiredNames, withDeclared } from './models.ts'
import { needsBeta } from './provider-options.ts'

/** How DeepSeek is reached. What is left out goes to DeepSeek's own endpoint with the key in `DEEPSEEK_API_KEY`. */
export interface DeepSeekAdapterOptions extends Omit<OpenAiCompatibleAdapterOptions, 'baseURL' | 'dialect'> {
  readonly baseURL?: string | undefined
  /** Where strict tools and answer prefixes go; `/beta` beside `baseURL` by default. */
  readonly betaBaseURL?: string | undefined
}

/**
 * Speaks to DeepSeek: one Chat Completions wire behind two addresses, of which each request takes the one that knows what
 * it asks for.
 */
export class DeepSeekAdapter extends LlmAdapter {
  override readonly options: ReadonlySet<OptionName>
  readonly #stable: OpenAiCompatibleAdapter
  readonly #beta: OpenAiCompatibleAdapter

  constructor(options: DeepSeekAdapterOptions = {}) {
    super()
    const {
      baseURL = DEFAULT_BASE_URL,
      betaBaseURL = toBetaBaseUrl(baseURL),
      apiKeyEnv = 'DEEPSEEK_API_KEY',
    } = options
    const shared = {
      ...options,
      apiKeyEnv,
      dialect: deepSeekDialect,
      displayName: options.displayName ?? 'DeepSeek',
      models: withDeclared(options.models),
    }
    this.#stable = new OpenAiCompatibleAdapter({ ...shared, baseURL })
    this.#beta = new OpenAiCompatibleAdapter({ ...shared, baseURL: betaBaseURL })
    this.options = this.#stable.options
  }

  stream(request: AdapterRequest): AsyncIterable<StreamChunk> {
    return (needsBeta(request) ? this.#beta : this.#stable).stream(request)
  }

  override providerInfo(provider: string): LlmProviderInfo {
    return this.#stable.providerInfo(provider)
  }

  /** From local data, so it needs neither key nor network. */
  override listModels(provider: string): Promise<readonly LlmModelInfo[]> {
    return this.#stable.listModels(provider)
  }

  /** A retired name has the facts of the model that answers for it. */
  override async resolveModel(provider: string, model: string): Promise<LlmResolvedModelInfo> {
    const info = await this.#stable.resolveModel(provider, model)
    const successor = info.reasoning === undefined ? retiredNames.get(model) : undefined
    return successor === undefined
      ? info
      : { ...(await this.#stable.resolveModel(provider, successor)), id: model }
  }

  override providerRetryPolicy(): Partial<RetryPolicy> | undefined {
    return this.#stable.providerRetryPolicy()
  }
}

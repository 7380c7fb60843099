import { type ApiKeyOptions, LlmError } from 'dsh-llm'
import type { OpenAiCompatibleAdapterOptions } from 'dsh-llm-openai-compatible'
import { type Catalogue, loadCatalogue } from './catalogue.ts'
import type { DeclaredPiModel, RouteModel } from './models.ts'
import type { ApiName } from './api-names.ts'
import type { PiModel } from './pi-api.ts'
import { knownProviders } from './providers.ts'
import { toPiModel } from './to-pi-model.ts'

/** What any adapter of ours takes for one server. */
type Connection = Omit<OpenAiCompatibleAdapterOptions, 'baseURL' | 'dialect' | 'models'>

/**
 * One route: a provider of pi-ai's catalogue, or a server that is declared whole. Without `apiKey` and `apiKeyEnv` the
 * key is in the variable of the catalogue's provider; a server that is declared whole is sent none.
 */
export interface PiAiProviderConfig extends Connection {
  /** A provider of the catalogue, whose address, APIs and models the route has; the route's own name by default. */
  readonly provider?: string | undefined
  /** How the server is spoken to, whatever the catalogue says; needed where it is no provider of the catalogue. */
  readonly api?: ApiName | undefined
  /** The catalogue's by default. With the version where the API has it in its address, as with OpenAI and Google. */
  readonly baseURL?: string | undefined
  /** A model of the catalogue whose facts stand for models that nobody knows, such as fine-tuned ones. */
  readonly model?: string | undefined
  /** Facts about models. They come before the catalogue's, field by field. */
  readonly models?: readonly DeclaredPiModel[] | undefined
  /** Options of pi-ai's own for the API, such as `region` and `profile` of Bedrock, `project` and `location` of Vertex. */
  readonly options?: Readonly<Record<string, string | number | boolean>> | undefined
}

/** One route with what follows from its config. */
export class PiAiRoute {
  readonly name: string
  readonly config: PiAiProviderConfig
  /** The provider of the catalogue; absent for a server that is declared whole. */
  readonly #catalogueName: string | undefined

  constructor(name: string, config: PiAiProviderConfig) {
    this.name = name
    this.config = config
    const provider = config.provider ?? name
    this.#catalogueName = Object.hasOwn(knownProviders, provider) ? provider : undefined
  }

  /** The APIs its models may be spoken to by, in a fixed order. */
  get apis(): readonly ApiName[] {
    const { api, models = [] } = this.config
    const inherited = api === undefined ? this.#known?.apis : [api]
    const declared = models.flatMap((model) => model.api ?? [])
    return [...new Set([...(inherited ?? []), ...declared])].toSorted()
  }

  /** Whether calls are made with a key of ours; local servers and SDKs with credentials of their own take none. */
  get hasKey(): boolean {
    const { apiKey, apiKeyEnv } = this.keySource
    return apiKey !== undefined || apiKeyEnv !== undefined
  }

  get keySource(): ApiKeyOptions {
    const { apiKey, apiKeyEnv = this.#known?.apiKeyEnv } = this.config
    return { apiKey, apiKeyEnv, provider: this.name }
  }

  /** The declared models, then those of the catalogue. */
  async listModels(): Promise<readonly RouteModel[]> {
    const catalogue = await this.#loadCatalogue()
    const ids = new Set([...(this.config.models ?? []).map(({ id }) => id), ...catalogue.keys()])
    return [...ids].map((id) => this.#toModel(id, catalogue))
  }

  /** A model by its id. One of which neither API nor address is known is `UNKNOWN_MODEL`. */
  async findModel(id: string): Promise<RouteModel> {
    return this.#toModel(id, await this.#loadCatalogue())
  }

  get #known() {
    return this.#catalogueName === undefined ? undefined : knownProviders[this.#catalogueName]
  }

  async #loadCatalogue(): Promise<Catalogue> {
    return this.#catalogueName === undefined ? new Map() : loadCatalogue(this.#catalogueName)
  }

  #toModel(id: string, catalogue: Catalogue): RouteModel {
    const declared = this.config.models?.find((model) => model.id === id)
    const listed = catalogue.get(id) ?? this.#standIn(id, catalogue)
    const base = listed ?? this.#firstOf(catalogue)
    const pi = toPiModel({ id, declared, base, route: this.name, config: this.config })
    return { pi, declared, isListed: listed !== undefined }
  }

  /** The facts of the model that stands for unknown ones, under their name. */
  #standIn(id: string, catalogue: Catalogue): PiModel | undefined {
    const { model } = this.config
    if (model === undefined) return undefined
    const found = catalogue.get(model)
    if (found !== undefined) return { ...found, name: id }
    const why = `the catalogue has no model "${model}" that could stand for it`
    throw new LlmError(`Cannot call the model "${id}" of the route "${this.name}": ${why}`, 'UNKNOWN_MODEL')
  }

  /** Where all models of a provider have one API, any of them tells how an unknown one is called, but nothing more. */
  #firstOf(catalogue: Catalogue): Partial<PiModel> {
    const [first] = catalogue.values()
    // A server that is declared still has the provider's name, by which pi-ai knows its habits.
    const provider = this.#catalogueName ?? this.name
    if (first === undefined || this.apis.length > 1) return { provider }
    const { api, baseUrl, compat } = first
    return compat === undefined ? { provider, api, baseUrl } : { provider, api, baseUrl, compat }
  }
}

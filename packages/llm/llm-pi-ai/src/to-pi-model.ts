import { LlmError } from 'dsh-llm'
import type { DeclaredPiModel } from './models.ts'
import type { ApiName } from './api-names.ts'
import type { PiModel } from './pi-api.ts'

/** What makes a model: the catalogue's facts below, then the route's address, then what is declared. */
export interface ModelSources {
  readonly id: string
  readonly declared: DeclaredPiModel | undefined
  readonly base: Partial<PiModel>
  readonly route: string
  readonly config: { readonly api?: ApiName | undefined; readonly baseURL?: string | undefined }
}

/** The model as pi-ai takes it. One of which no API is known is `UNKNOWN_MODEL`; its address may still be missing. */
export function toPiModel({ id, declared, base, route, config }: ModelSources): PiModel {
  const api = declared?.api ?? config.api ?? base.api
  if (api === undefined)
    throw unknown(
      id,
      route,
      'no API is known for it: name its `api` in `models`, or a `model` of the catalogue that stands for it',
    )
  const model = {
    provider: route,
    ...unknownFacts,
    name: id,
    ...base,
    ...factsOf(declared, base),
    id,
    api,
    baseUrl: toBaseUrl(declared?.baseURL ?? config.baseURL ?? base.baseUrl ?? '', api),
    reasoning: canReason(declared, base),
    compat: { ...base.compat, ...declared?.compat, ...calm },
  }
  // Which differences an API knows, the compiler cannot follow.
  return model as PiModel
}

/** The SDK of Anthropic adds the version itself, which one address for several APIs has already. */
function toBaseUrl(address: string, api: ApiName): string {
  return api === 'anthropic-messages' ? address.replace(/\/v1\/*$/, '') : address
}

const unknownFacts = {
  input: ['text'],
  cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
  contextWindow: 0,
  maxTokens: 0,
}

/**
 * Off in every call: state of conversations that pi-ai would keep by itself, with hidden second requests; an effort and
 * other models to answer that nobody asked for.
 */
const calm = { supportsMessageThreads: false, supportsMidConvoEffort: false, allowedFallbackModels: [] }

function canReason(declared: DeclaredPiModel | undefined, base: Partial<PiModel>): boolean {
  if (declared?.reasoning !== undefined) return declared.reasoning
  return declared?.efforts === undefined ? base.reasoning === true : true
}

function factsOf(declared: DeclaredPiModel | undefined, base: Partial<PiModel>): Partial<PiModel> {
  if (declared === undefined) return {}
  const { contextWindow, maxTokens = declared.defaultMaxTokens, price, inputModalities } = declared
  const facts = {
    contextWindow,
    maxTokens,
    cost: price === undefined ? undefined : { ...unknownFacts.cost, ...base.cost, ...price },
    input: inputModalities?.filter((name) => name === 'text' || name === 'image'),
  }
  return Object.fromEntries(Object.entries(facts).filter(([, value]) => value !== undefined))
}

/**
 * Refuses a model that nobody could reach: without an address the SDKs would go to the vendor's own. Vertex makes its
 * address of project and location.
 */
export function assertAddress({ id, api, baseUrl }: PiModel, route: string): void {
  if (api === 'google-vertex') return
  if (baseUrl === '') throw unknown(id, route, 'no address is known for it: set `baseURL`')
  if (baseUrl.includes('{'))
    throw unknown(id, route, `its address ${baseUrl} has places to be filled: set \`baseURL\` without them`)
}

function unknown(id: string, route: string, why: string): LlmError {
  return new LlmError(
    `Cannot call the model "${id.slice(0, 100)}" of the route "${route}": ${why}`,
    'UNKNOWN_MODEL',
  )
}

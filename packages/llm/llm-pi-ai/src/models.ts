import type { JsonObject, LlmModelInfo, LlmResolvedModelInfo, ModelPrice, ReasoningEffortInfo } from 'dsh-llm'
import type { DeclaredModel } from 'dsh-llm-openai-compatible'
import type { ApiName } from './api-names.ts'
import { effortWords } from './effort.ts'
import type { PiModel } from './pi-api.ts'

/** What a configuration tells about one model; what it leaves out comes from the catalogue, or is unknown. */
export interface DeclaredPiModel extends DeclaredModel {
  /** The route's by default. */
  readonly api?: ApiName | undefined
  /** The route's by default; for a provider whose APIs have addresses of their own. */
  readonly baseURL?: string | undefined
  /** Whether it can think; true where efforts are listed. */
  readonly reasoning?: boolean | undefined
  /** Most tokens of one answer. */
  readonly maxTokens?: number | undefined
  /** For a million tokens, in US dollars. */
  readonly price?: ModelPrice | undefined
  /** Differences of the server, in pi-ai's own words for the API. */
  readonly compat?: JsonObject | undefined
}

/** A model as it is called, and what is known of it beyond pi-ai's own facts. */
export interface RouteModel {
  /** With the catalogue's facts and the declared ones. */
  readonly pi: PiModel
  readonly declared: DeclaredPiModel | undefined
  /** Whether the catalogue has it, or a model that the config lets stand for it. */
  readonly isListed: boolean
}

/** The part that a list of models shows. */
export function toModelInfo(provider: string, { pi, declared }: RouteModel): LlmModelInfo {
  const { id, name } = pi
  return {
    provider,
    id,
    name: declared?.name ?? name,
    description: declared?.description,
    inputModalities: declared?.inputModalities ?? pi.input,
  }
}

/** Everything the catalogue or the declaration tells; a model that is in neither has its id alone. */
export function toResolvedModelInfo(provider: string, model: RouteModel): LlmResolvedModelInfo {
  const { pi, declared, isListed } = model
  if (!isListed && declared === undefined) return { provider, id: pi.id, name: pi.id }
  return {
    ...toModelInfo(provider, model),
    context: pi.contextWindow > 0 ? { contextWindow: pi.contextWindow } : undefined,
    defaultMaxTokens: declared?.defaultMaxTokens ?? (pi.maxTokens > 0 ? pi.maxTokens : undefined),
    reasoning: reasoningOf(model),
    price: isListed ? priceOf(pi) : declared?.price,
  }
}

/** The levels of the model itself, in pi-ai's words. Which of them a request without one gets, no catalogue tells. */
function reasoningOf({ pi, declared, isListed }: RouteModel): LlmResolvedModelInfo['reasoning'] {
  if (declared?.efforts !== undefined)
    return { efforts: declared.efforts.map(toEffort), defaultEffort: declared.defaultEffort }
  return isListed && pi.reasoning ? { efforts: levelsOf(pi).map(toEffort) } : undefined
}

const levels = ['off', ...effortWords] as const

/** `null` in the map means that the model lacks a level; the highest two are there only if the map has them. */
function levelsOf({ thinkingLevelMap = {} }: PiModel): readonly string[] {
  return levels.filter((level) => {
    const mapped = thinkingLevelMap[level]
    return mapped !== null && (mapped !== undefined || (level !== 'xhigh' && level !== 'max'))
  })
}

function toEffort(effort: string | ReasoningEffortInfo): ReasoningEffortInfo {
  return typeof effort === 'string' ? { id: effort, name: effort } : effort
}

/** The catalogue counts in US dollars for a million tokens, as we do. */
function priceOf({ cost }: PiModel): ModelPrice {
  const { input, output, cacheRead, cacheWrite } = cost
  return { input, output, cacheRead, cacheWrite }
}

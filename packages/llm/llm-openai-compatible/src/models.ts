import { LlmError, type LlmModelInfo, type LlmResolvedModelInfo, type ReasoningEffortInfo } from 'dsh-llm'
import { getJson, type HttpRequest } from 'dsh-llm-http'
import { isObject, textOf } from './wire.ts'

/** What a configuration tells about one model; an absent fact is unknown. */
export interface DeclaredModel {
  readonly id: string
  /** The id by default. */
  readonly name?: string | undefined
  readonly description?: string | undefined
  readonly inputModalities?: readonly string[] | undefined
  /** Tokens, input and output together. */
  readonly contextWindow?: number | undefined
  /** Tokens the provider generates at most when a request does not say. */
  readonly defaultMaxTokens?: number | undefined
  /** Levels of reasoning; where they are listed, others are refused before any request. */
  readonly efforts?: readonly (string | ReasoningEffortInfo)[] | undefined
  readonly defaultEffort?: string | undefined
}

/** The part of a declaration that a list of models shows. */
export function toModelInfo(provider: string, model: DeclaredModel): LlmModelInfo {
  const { id, name = id, description, inputModalities } = model
  return { provider, id, name, description, inputModalities }
}

/** Everything a declaration tells; what it leaves out stays unknown. */
export function toResolvedModelInfo(provider: string, model: DeclaredModel): LlmResolvedModelInfo {
  const { contextWindow, defaultMaxTokens, efforts, defaultEffort } = model
  return {
    ...toModelInfo(provider, model),
    context: contextWindow === undefined ? undefined : { contextWindow },
    defaultMaxTokens,
    reasoning: efforts === undefined ? undefined : { efforts: efforts.map(toEffort), defaultEffort },
  }
}

function toEffort(effort: string | ReasoningEffortInfo): ReasoningEffortInfo {
  return typeof effort === 'string' ? { id: effort, name: effort } : effort
}

/** Asks the server for its models, in its order. An answer without a list is `MALFORMED_RESPONSE`. */
export async function fetchModels(provider: string, request: HttpRequest): Promise<readonly LlmModelInfo[]> {
  const { json } = await getJson(request)
  const list = listIn(json)
  if (list !== undefined) return list.flatMap((entry) => readModel(provider, entry))
  throw new LlmError(
    'The server answered the request for its models without a list of them; declare `models` in the config instead',
    'MALFORMED_RESPONSE',
  )
}

/** The fields of a listed model that are read; OpenRouter fills them all, most servers only the id. */
interface WireModel {
  readonly id?: unknown
  readonly name?: unknown
  readonly description?: unknown
  readonly architecture?: unknown
}

/** Servers put the list under `data`, under `models`, or send it bare. */
function listIn(json: unknown): readonly unknown[] | undefined {
  if (Array.isArray(json)) return json
  if (!isObject(json)) return undefined
  const { data, models }: { readonly data?: unknown; readonly models?: unknown } = json
  return [data, models].find((value) => Array.isArray(value))
}

function readModel(provider: string, entry: unknown): readonly LlmModelInfo[] {
  if (!isObject(entry)) return []
  const model: WireModel = entry
  const id = textOf(model.id) ?? textOf(model.name)
  if (id === undefined) return []
  const name = textOf(model.name) ?? id
  return [
    {
      provider,
      id,
      name,
      description: textOf(model.description),
      inputModalities: modalitiesOf(model.architecture),
    },
  ]
}

function modalitiesOf(architecture: unknown): readonly string[] | undefined {
  if (!isObject(architecture)) return undefined
  const { input_modalities: modalities }: { readonly input_modalities?: unknown } = architecture
  return Array.isArray(modalities) ? modalities.filter((value) => typeof value === 'string') : undefined
}

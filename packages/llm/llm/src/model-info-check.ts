import { detach } from './detach.ts'
import { LlmError } from './error.ts'
import type { JsonObject, JsonValue } from './json.ts'
import type { LlmModelInfo, LlmProviderInfo, LlmResolvedModelInfo, RetryPolicy } from './model-info.ts'
import { memberPath } from './plain-data.ts'
import { readString } from './read-property.ts'
import {
  duration,
  exactly,
  fields,
  filledText,
  listOf,
  oneOf,
  optional,
  positiveCount,
  type Rule,
  type RuleFault,
  text,
} from './value-rules.ts'

const modelFields = {
  id: filledText,
  name: filledText,
  description: optional(text),
  inputModalities: optional(listOf(filledText)),
}

const effort = fields({ id: filledText, name: filledText, description: optional(text) })

const detailFields = {
  context: optional(fields({ contextWindow: positiveCount })),
  defaultMaxTokens: optional(positiveCount),
  reasoning: optional(reasoning),
}

const retryPolicy = optional(
  fields({
    maxAttempts: optional(positiveCount),
    maxElapsedMs: optional(duration),
    initialDelayMs: optional(duration),
    maxDelayMs: optional(duration),
    maxProviderDelayMs: optional(duration),
    codes: optional(listOf(filledText)),
    until: optional(oneOf(['first-content', 'finish', 'never'])),
  }),
)

/** What `providerInfo` of an adapter gave, as a frozen copy; throws `INVALID_CATALOG` naming the path (L2). */
export function checkedProviderInfo(value: unknown, provider: string): LlmProviderInfo {
  const source = { method: 'providerInfo', provider, code: 'INVALID_CATALOG' }
  return checked<LlmProviderInfo>(value, fields({ id: exactly(provider), name: filledText }), source)
}

/** What `listModels` gave, as a frozen copy; throws `INVALID_CATALOG`, also for two models of one id. */
export function checkedModelList(value: unknown, provider: string): readonly LlmModelInfo[] {
  const model = fields({ provider: exactly(provider), ...modelFields })
  const source = { method: 'listModels', provider, code: 'INVALID_CATALOG' }
  return checked<readonly LlmModelInfo[]>(value, listOf(model, 'id'), source)
}

/** What `resolveModel` gave, as a frozen copy; throws `INVALID_MODEL_INFO`, also when it tells of another model. */
export function checkedModelInfo(value: unknown, provider: string, model: string): LlmResolvedModelInfo {
  const rule = fields({ provider: exactly(provider), ...modelFields, id: exactly(model), ...detailFields })
  return checked<LlmResolvedModelInfo>(value, rule, {
    method: 'resolveModel',
    provider,
    code: 'INVALID_MODEL_INFO',
  })
}

/** What `providerRetryPolicy` gave, if anything, as a frozen copy; throws `INVALID_CATALOG`. */
export function checkedRetryPolicy(value: unknown, provider: string): Partial<RetryPolicy> | undefined {
  const source = { method: 'providerRetryPolicy', provider, code: 'INVALID_CATALOG' }
  return checked<Partial<RetryPolicy> | undefined>(value, retryPolicy, source)
}

/** Efforts are told apart by id, and the default is one of them. */
function reasoning(value: JsonValue | undefined, path: string): RuleFault | undefined {
  const fault = fields({ efforts: listOf(effort, 'id'), defaultEffort: optional(filledText) })(value, path)
  if (fault !== undefined) return fault
  const { efforts, defaultEffort } = value as JsonObject
  const offered = Array.isArray(efforts)
    ? efforts.map((entry: JsonValue) => String(readString(entry, 'id')))
    : []
  return optional(oneOf(offered))(defaultEffort, memberPath(path, 'defaultEffort'))
}

interface Source {
  readonly method: string
  readonly provider: string
  readonly code: string
}

function checked<T>(value: unknown, rule: Rule, source: Source): T {
  const copy = value === undefined ? undefined : detachFrom(value, source)
  const fault = rule(copy, '')
  if (fault === undefined) return copy as T
  const shown = (JSON.stringify(fault.value) ?? 'undefined').slice(0, 80)
  throw invalid(`${fault.path === '' ? 'the value' : fault.path} is ${shown}, not ${fault.expected}`, source)
}

function detachFrom(value: unknown, source: Source): JsonValue {
  try {
    return detach(value)
  } catch (cause) {
    throw invalid(readString(cause, 'message') ?? 'the value cannot be read', source)
  }
}

function invalid(why: string, { method, provider, code }: Source): LlmError {
  return new LlmError(`The adapter of provider "${provider}" gave an unusable ${method}: ${why}`, code)
}

import { detach } from './detach.ts'
import { LlmError } from './error.ts'
import type { LlmModelInfo, LlmProviderInfo, LlmResolvedModelInfo, RetryPolicy } from './model-info.ts'
import { memberPath } from './plain-data.ts'
import { readString } from './read-property.ts'
import {
  all,
  amount,
  describeFault,
  distinctListOf,
  duration,
  fields,
  filledText,
  listOf,
  oneOf,
  positiveCount,
  type Rule,
  type RuleFault,
  text,
} from './value-rules.ts'

const effort = fields({ id: filledText, name: filledText }, { description: text })

const reasoning = all(
  fields({ efforts: distinctListOf(effort, 'id') }, { defaultEffort: filledText }),
  checkDefaultEffort,
)

const modelInfo = fields(
  { id: filledText, name: filledText },
  {
    description: text,
    inputModalities: listOf(filledText),
    context: fields({ contextWindow: positiveCount }),
    defaultMaxTokens: positiveCount,
    reasoning,
    price: fields({}, { input: amount, output: amount, cacheRead: amount, cacheWrite: amount }),
  },
)

const retryPolicy = fields(
  {},
  {
    maxAttempts: positiveCount,
    maxElapsedMs: duration,
    initialDelayMs: duration,
    maxDelayMs: duration,
    maxProviderDelayMs: duration,
    codes: listOf(filledText),
    until: oneOf('first-content', 'finish', 'never'),
  },
)

/** What `providerInfo` of an adapter gave, as a frozen copy; throws `INVALID_CATALOG` naming the path (L2). */
export function checkedProviderInfo(value: unknown, provider: string): LlmProviderInfo {
  const rule = fields({ id: oneOf(provider), name: filledText })
  return checked<LlmProviderInfo>(value, rule, { method: 'providerInfo', provider })
}

/** What `listModels` gave, as a frozen copy; throws `INVALID_CATALOG`, also for two models of one id. */
export function checkedModelList(value: unknown, provider: string): readonly LlmModelInfo[] {
  const rule = distinctListOf(all(fields({ provider: oneOf(provider) }), modelInfo), 'id')
  return checked<readonly LlmModelInfo[]>(value, rule, { method: 'listModels', provider })
}

/** What `resolveModel` gave, as a frozen copy; throws `INVALID_MODEL_INFO`, also when it tells of another model. */
export function checkedModelInfo(value: unknown, provider: string, model: string): LlmResolvedModelInfo {
  const rule = all(fields({ provider: oneOf(provider), id: oneOf(model) }), modelInfo)
  const source = { method: 'resolveModel', provider, code: 'INVALID_MODEL_INFO' }
  return checked<LlmResolvedModelInfo>(value, rule, source)
}

/** What `providerRetryPolicy` gave, if anything, as a frozen copy; throws `INVALID_CATALOG`. */
export function checkedRetryPolicy(value: unknown, provider: string): Partial<RetryPolicy> | undefined {
  if (value === undefined) return undefined
  return checked<Partial<RetryPolicy>>(value, retryPolicy, { method: 'providerRetryPolicy', provider })
}

/** The default is one of the efforts. */
function checkDefaultEffort(value: unknown, path: string): RuleFault | undefined {
  const { efforts, defaultEffort } = value as NonNullable<LlmResolvedModelInfo['reasoning']>
  const offered = efforts.map(({ id }) => id)
  return defaultEffort === undefined
    ? undefined
    : oneOf(...offered)(defaultEffort, memberPath(path, 'defaultEffort'))
}

interface Source {
  readonly method: string
  readonly provider: string
  readonly code?: string
}

function checked<T>(value: unknown, rule: Rule, source: Source): T {
  const copy = value === undefined ? undefined : detachFrom(value, source)
  const fault = rule(copy, '')
  if (fault !== undefined) throw unusable(describeFault(fault), source)
  return copy as T
}

function detachFrom(value: unknown, source: Source): unknown {
  try {
    return detach(value)
  } catch (cause) {
    throw unusable(readString(cause, 'message') ?? 'it cannot be read', source)
  }
}

function unusable(why: string, { method, provider, code = 'INVALID_CATALOG' }: Source): LlmError {
  return new LlmError(`The adapter of provider "${provider}" gave an unusable ${method}: ${why}`, code)
}

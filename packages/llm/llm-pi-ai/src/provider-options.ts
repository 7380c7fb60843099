import { type GenerateOptions, type JsonObject, LlmError } from 'dsh-llm'
import { assertKnownKeys } from 'dsh-llm-openai-compatible'
import { isRecord } from './payload.ts'

/** `providerOptions.piAi`: what only pi-ai and the providers behind it know. */
export interface PiAiOptions {
  /** How long the provider is asked to keep the prompt in its cache; `none` by default, so nothing is marked. */
  readonly cacheRetention?: 'none' | 'short' | 'long' | undefined
  /** Tokens for thinking, where the model counts them; a reasoning effort chooses them otherwise. */
  readonly thinkingBudgetTokens?: number | undefined
  /** Fields added to the body as they are. One that neutral options own is refused with `INVALID_REQUEST`. */
  readonly extraBody?: JsonObject | undefined
}

declare module 'dsh-llm' {
  interface ProviderOptionsMap {
    piAi: PiAiOptions
  }
}

const knownKeys: ReadonlySet<string> = new Set(['cacheRetention', 'thinkingBudgetTokens', 'extraBody'])

/** Fields that the request itself fills, in the words of any of the APIs, and those of the SDKs' own. */
const ownedFields: ReadonlySet<string> = new Set(
  [
    'model modelId messages input contents stream config httpOptions abortSignal',
    'system systemInstruction system_instruction instructions tools toolConfig tool_config tool_choice toolChoice',
    'temperature max_tokens max_completion_tokens max_output_tokens maxTokens maxOutputTokens',
    'response_mime_type response_schema thinking_config',
    'top_p topP seed randomSeed stop stop_sequences stopSequences',
    'response_format responseFormat responseMimeType responseSchema responseJsonSchema',
    'reasoning reasoning_effort reasoningEffort thinking thinkingConfig effort format',
  ].flatMap((names) => names.split(' ')),
)

/** Fields that hold such fields, beside others that are free. */
const holders: readonly string[] = [
  'generationConfig',
  'generation_config',
  'inferenceConfig',
  'text',
  'output_config',
]

function findOwned(body: JsonObject): string | undefined {
  const held = holders.flatMap((name) => (isRecord(body[name]) ? Object.keys(body[name]) : []))
  return [...Object.keys(body), ...held].find((name) => ownedFields.has(name))
}

/** The `piAi` entry, checked; an unknown key or an impossible value is `INVALID_REQUEST`. */
export function readPiAiOptions(request: GenerateOptions): PiAiOptions {
  const options = request.providerOptions?.piAi
  if (options === undefined) return {}
  assertKnownKeys('piAi', options, knownKeys)
  const { cacheRetention, thinkingBudgetTokens, extraBody = {} } = options
  if (!isRecord(extraBody)) throw refused('extraBody', 'must be an object of fields')
  if (cacheRetention !== undefined && !['none', 'short', 'long'].includes(cacheRetention))
    throw refused('cacheRetention', 'must be none, short or long')
  if (
    thinkingBudgetTokens !== undefined &&
    !(Number.isSafeInteger(thinkingBudgetTokens) && thinkingBudgetTokens > 0)
  )
    throw refused('thinkingBudgetTokens', 'must be a whole number above 0')
  const owned = findOwned(extraBody)
  if (owned !== undefined)
    throw refused('extraBody', `has the field "${owned}", which the request itself fills`)
  return options
}

function refused(option: string, why: string): LlmError {
  return new LlmError(`providerOptions.piAi.${option} ${why}`, 'INVALID_REQUEST')
}

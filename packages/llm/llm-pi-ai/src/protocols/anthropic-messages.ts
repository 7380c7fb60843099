import { type Payload, setField } from '../payload.ts'
import type { Ask, Protocol } from '../protocol.ts'

/** Tokens for thinking on models that count them; the API takes 1,024 and more. */
const budgets: Readonly<Record<string, number>> = {
  minimal: 1024,
  low: 2048,
  medium: 8192,
  high: 16_384,
  xhigh: 32_768,
}

/** Anthropic Messages. Thinking travels back with its signatures; a seed it has none. */
export const anthropicMessages: Protocol = Object.freeze({
  fields: { topP: 'top_p', stop: 'stop_sequences' },
  callIds: Object.freeze({ minLength: 1, maxLength: 64, alphabet: 'word' }),
  maxToolNameLength: 64,
  usage: {
    inputTokens: ['input_tokens'],
    outputTokens: ['output_tokens'],
    cacheReadTokens: ['cache_read_input_tokens'],
    cacheWriteTokens: ['cache_creation_input_tokens'],
    reasoningTokens: ['output_tokens_details.thinking_tokens'],
  },
  finishReasons: { refusal: { code: 'CONTENT_FILTER' } },
  findConflict({ request, model }: Ask) {
    if (request.temperature === undefined) return undefined
    const { compat = {} } = model
    if ('supportsTemperature' in compat && compat.supportsTemperature === false)
      return `temperature is not taken by the model "${model.id}"`
    const isThinking = request.reasoningEffort !== undefined && request.reasoningEffort !== 'off'
    return isThinking ? 'temperature does not go with thinking on this API' : undefined
  },
  toEffortOptions(effort: string, { model, own }: Ask) {
    if (effort === 'off') return { thinkingEnabled: false }
    const { compat = {}, thinkingLevelMap = {} } = model
    if ('forceAdaptiveThinking' in compat && compat.forceAdaptiveThinking === true) {
      const mapped: unknown = Reflect.get(thinkingLevelMap, effort)
      return { thinkingEnabled: true, effort: typeof mapped === 'string' ? mapped : toAdaptiveEffort(effort) }
    }
    const thinkingBudgetTokens = own.thinkingBudgetTokens ?? budgets[effort] ?? 32_768
    return { thinkingEnabled: true, thinkingBudgetTokens }
  },
  toToolChoice(choice) {
    if (choice === 'required') return 'any'
    return typeof choice === 'string' ? choice : { type: 'tool', name: choice.name }
  },
  setFormat(payload: Payload, { schema }) {
    // The API knows no JSON without a schema, so any object has to do.
    setField(payload, 'output_config.format', { type: 'json_schema', schema: schema ?? { type: 'object' } })
  },
  takesFetch: true,
} satisfies Protocol)

function toAdaptiveEffort(effort: string): string {
  return effort === 'minimal' ? 'low' : effort
}

import { type Payload, setField } from '../payload.ts'
import type { PiModel } from '../pi-api.ts'
import type { Ask, Protocol } from '../protocol.ts'

/** Tokens for thinking on models of the 2.5 family, as Google documents their ranges. */
const budgets: Readonly<Record<string, number>> = { minimal: 512, low: 2048, medium: 8192, high: 24_576 }

/** Gemini 3 and later have levels in place of budgets. */
const knowsLevels = /gemini-(?:[3-9]|[1-9]\d)|gemini-flash-(?:lite-)?latest|gemma-?4/i

/** Gemini, by its own API or through Vertex. Signatures travel back on the parts that brought them. */
export const google: Protocol = Object.freeze({
  fields: { topP: 'config.topP', seed: 'config.seed', stop: 'config.stopSequences' },
  maxStops: 5,
  callIds: Object.freeze({ minLength: 1, maxLength: 64, alphabet: 'word' }),
  maxToolNameLength: 64,
  usage: {
    inputTokens: ['promptTokenCount'],
    outputTokens: ['candidatesTokenCount'],
    cacheReadTokens: ['cachedContentTokenCount'],
    cacheWriteTokens: [],
    reasoningTokens: ['thoughtsTokenCount'],
  },
  finishReasons: {
    safety: { code: 'CONTENT_FILTER' },
    blocklist: { code: 'CONTENT_FILTER' },
    prohibited_content: { code: 'CONTENT_FILTER' },
    spii: { code: 'CONTENT_FILTER' },
    image_safety: { code: 'CONTENT_FILTER' },
    malformed_function_call: { code: 'MALFORMED_RESPONSE' },
    malformed_response: { code: 'MALFORMED_RESPONSE' },
  },
  toEffortOptions(effort: string, { model, own }: Ask) {
    if (effort === 'off') return { thinking: { enabled: false } }
    if (own.thinkingBudgetTokens !== undefined)
      return { thinking: { enabled: true, budgetTokens: own.thinkingBudgetTokens } }
    return { thinking: { enabled: true, ...toAmount(effort, model) } }
  },
  toToolChoice: (choice) => (choice === 'required' || typeof choice !== 'string' ? 'any' : choice),
  setFormat(payload: Payload, { schema }) {
    setField(payload, 'config.responseMimeType', 'application/json')
    if (schema !== undefined) setField(payload, 'config.responseJsonSchema', schema)
  },
  editPayload(payload: Payload, { toolChoice }: Ask) {
    if (typeof toolChoice !== 'object') return
    const mode = { mode: 'ANY', allowedFunctionNames: [toolChoice.name] }
    setField(payload, 'config.toolConfig.functionCallingConfig', mode)
  },
  sendsObjects: true,
  extraBodyField: 'config',
  takesFetch: true,
} satisfies Protocol)

function toAmount(effort: string, { id, thinkingLevelMap = {} }: PiModel): Readonly<Record<string, unknown>> {
  if (!knowsLevels.test(id)) return { budgetTokens: budgets[effort] ?? 24_576 }
  const mapped: unknown = Reflect.get(thinkingLevelMap, effort)
  return { level: (typeof mapped === 'string' ? mapped : effort).toUpperCase() }
}

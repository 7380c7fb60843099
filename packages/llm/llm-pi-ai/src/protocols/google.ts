import { assertKnownEffort, mappedEffort, unknownEffort } from '../effort.ts'
import { getField, type Payload, recordsOf, setField } from '../payload.ts'
import type { PiModel } from '../pi-api.ts'
import type { Ask, Protocol } from '../protocol.ts'
import { firstText, type WireFacts } from '../wire-facts.ts'
import { unwrap } from '../wrapped-signature.ts'

/** Tokens for thinking on models of the 2.5 family, as Google documents their ranges. */
const budgets: ReadonlyMap<string, number> = new Map([
  ['minimal', 512],
  ['low', 2048],
  ['medium', 8192],
  ['high', 24_576],
])

/** Gemini 3 and later have levels in place of budgets. */
const knowsLevels = /gemini-(?:[3-9]|[1-9]\d)|gemini-flash-(?:lite-)?latest|gemma-?4/i

/** Gemini, by its own API or through Vertex. Signatures travel back on the parts that brought them. */
export const google: Protocol = Object.freeze({
  fields: { topP: 'config.topP', seed: 'config.seed', stop: 'config.stopSequences' },
  maxStops: 5,
  callIds: Object.freeze({ minLength: 1, maxLength: 64, alphabet: 'word' }),
  usage: {
    input: ['promptTokenCount', 'toolUsePromptTokenCount'],
    output: ['candidatesTokenCount', 'thoughtsTokenCount'],
    cacheRead: ['cachedContentTokenCount'],
    cacheWrite: [],
    reasoning: ['thoughtsTokenCount'],
    inputHasCache: true,
  },
  finishReasons: {
    safety: { code: 'CONTENT_FILTER' },
    blocklist: { code: 'CONTENT_FILTER' },
    prohibited_content: { code: 'CONTENT_FILTER' },
    spii: { code: 'CONTENT_FILTER' },
    image_safety: { code: 'CONTENT_FILTER' },
    malformed_function_call: { code: 'MALFORMED_RESPONSE' },
  },
  toEffortOptions(effort: string | undefined, { model, own }: Ask) {
    if (effort === 'off') return { thinking: { enabled: false } }
    const budgetTokens = own.thinkingBudgetTokens
    if (budgetTokens !== undefined) return { thinking: { enabled: true, budgetTokens } }
    return effort === undefined ? {} : { thinking: { enabled: true, ...toAmount(effort, model) } }
  },
  toToolChoice: (choice) => (choice === 'required' || typeof choice !== 'string' ? 'any' : choice),
  setFormat(payload: Payload, { schema }) {
    setField(payload, 'config.responseMimeType', 'application/json')
    if (schema !== undefined) setField(payload, 'config.responseJsonSchema', schema)
  },
  editPayload(payload: Payload, { request, model, toolChoice, own }: Ask) {
    for (const { parts } of recordsOf(payload['contents']))
      for (const part of recordsOf(parts))
        if (typeof part['thoughtSignature'] === 'string')
          part['thoughtSignature'] = unwrap(part['thoughtSignature'])
    const { reasoningEffort: effort } = request
    const isLeveled = effort !== undefined && effort !== 'off' && own.thinkingBudgetTokens === undefined
    // pi-ai knows four levels of more.
    if (isLeveled && knowsLevels.test(model.id))
      setField(payload, 'config.thinkingConfig.thinkingLevel', toLevel(effort, model))
    if (typeof toolChoice !== 'object') return
    const mode = { mode: 'ANY', allowedFunctionNames: [toolChoice.name] }
    setField(payload, 'config.toolConfig.functionCallingConfig', mode)
  },
  watch,
  wrapsSignatures: true,
  extraBodyField: 'config.httpOptions.extraBody',
  takesFetch: true,
} satisfies Protocol)

/** The same through Vertex, where Google's libraries find a token when there is no key. */
export const googleVertex: Protocol = Object.freeze({ ...google, findsCredentials: true })

function toAmount(effort: string, model: PiModel): Readonly<Record<string, unknown>> {
  if (knowsLevels.test(model.id)) return { level: toLevel(effort, model) }
  const budgetTokens = budgets.get(effort)
  if (budgetTokens === undefined) throw unknownEffort(effort, budgets.keys())
  return { budgetTokens }
}

function toLevel(effort: string, model: PiModel): string {
  assertKnownEffort(effort, model)
  return (mappedEffort(effort, model) ?? effort).toUpperCase()
}

/** Requests are refused within an answer, and the last chunk may be followed by a cut. */
function watch(event: Payload, facts: WireFacts): void {
  facts.blockReason ??= firstText(event, ['promptFeedback.blockReason'])
  const [candidate] = recordsOf(getField(event, 'candidates'))
  facts.finish = firstText(candidate, ['finishReason']) ?? facts.finish
  if (Number(getField(candidate, 'index') ?? 0) > 0) facts.fault ??= 'it answers with several candidates'
}

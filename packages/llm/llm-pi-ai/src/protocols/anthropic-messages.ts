import { assertKnownEffort, mappedEffort, unknownEffort } from '../effort.ts'
import { getField, isRecord, type Payload, recordsOf, setField } from '../payload.ts'
import type { PiModel } from '../pi-api.ts'
import type { Ask, Protocol } from '../protocol.ts'
import { firstText, type WireFacts } from '../wire-facts.ts'
import { findThinkingConflict, toClaudeChoice } from './claude-rules.ts'

/** Tokens for thinking on models that count them. */
const budgets: ReadonlyMap<string, number> = new Map([
  ['minimal', 1024],
  ['low', 2048],
  ['medium', 8192],
  ['high', 16_384],
  ['xhigh', 32_768],
  ['max', 65_536],
])
const smallestBudget = 1024

/** Most tokens of an answer of a model about which nothing is known: the API demands a number. */
const unknownLimit = 8192

/** Anthropic Messages. Thinking travels back with its signatures; a seed it has none. */
export const anthropicMessages: Protocol = Object.freeze({
  fields: { topP: 'top_p', stop: 'stop_sequences' },
  callIds: Object.freeze({ minLength: 1, maxLength: 64, alphabet: 'word' }),
  usage: {
    input: ['input_tokens'],
    output: ['output_tokens'],
    cacheRead: ['cache_read_input_tokens'],
    cacheWrite: ['cache_creation_input_tokens'],
    reasoning: ['output_tokens_details.thinking_tokens'],
    inputHasCache: false,
  },
  finishReasons: { refusal: { code: 'CONTENT_FILTER' }, pause_turn: 'stop' },
  watch,
  findConflict: (ask: Ask) =>
    findTemperatureConflict(ask) ??
    findThinkingConflict(ask) ??
    findFormatConflict(ask) ??
    findBudgetConflict(ask),
  neededMaxTokens: unknownLimit,
  toEffortOptions(effort: string | undefined, ask: Ask) {
    if (effort === 'off') return { thinkingEnabled: false }
    if (effort !== undefined && isAdaptive(ask.model))
      return { thinkingEnabled: true, effort: toAdaptiveEffort(effort, ask.model) }
    const thinkingBudgetTokens = toBudget(effort, ask)
    return thinkingBudgetTokens === undefined ? {} : { thinkingEnabled: true, thinkingBudgetTokens }
  },
  toToolChoice: toClaudeChoice,
  setFormat(payload: Payload, { schema }) {
    setField(payload, 'output_config.format', { type: 'json_schema', schema })
  },
  editPayload(payload: Payload, { request }: Ask) {
    // pi-ai keeps only some keywords of a schema; those of choice stand at no root that the API takes.
    const { tools = [] } = request
    for (const [at, tool] of recordsOf(payload['tools']).entries()) {
      const { anyOf: _anyOf, oneOf: _oneOf, allOf: _allOf, ...schema } = tools[at]?.parameters ?? {}
      if (isRecord(tool['input_schema'])) tool['input_schema'] = { ...tool['input_schema'], ...schema }
    }
  },
  takesFetch: true,
} satisfies Protocol)

/** Blocks may begin with text, which pi-ai does not tell. */
function watch(event: Payload, facts: WireFacts): void {
  switch (getField(event, 'type')) {
    case 'message_start':
      if (facts.notes.has('content')) facts.fault ??= 'a second answer begins within the first'
      return
    case 'content_block_start':
      facts.notes.set('content', 'seen')
      return watchBlock(getField(event, 'content_block'), facts)
    case 'message_delta':
      facts.finish = firstText(event, ['delta.stop_reason']) ?? facts.finish
      return
    default:
  }
}

/** The text with which pi-ai's next block of prose begins. */
function watchBlock(block: unknown, facts: WireFacts): void {
  const type = getField(block, 'type')
  if (type === 'text' || type === 'thinking' || type === 'redacted_thinking')
    facts.addHead(firstText(block, ['text', 'thinking']) ?? '')
}

function findTemperatureConflict({ request, model }: Ask): string | undefined {
  if (request.temperature === undefined) return undefined
  const { compat = {} } = model
  if ('supportsTemperature' in compat && compat.supportsTemperature === false)
    return `temperature is not taken by the model "${model.id}"`
  return undefined
}

/** The API knows JSON by its schema only. */
function findFormatConflict({ request: { responseFormat } }: Ask): string | undefined {
  const isOpen = responseFormat?.type === 'json' && responseFormat.schema === undefined
  return isOpen ? 'responseFormat takes a schema on this API' : undefined
}

function findBudgetConflict(ask: Ask): string | undefined {
  const { own, model, request } = ask
  if (own.thinkingBudgetTokens !== undefined && isAdaptive(model))
    return `thinkingBudgetTokens is not taken by the model "${model.id}", which chooses them by the effort`
  const budget = toBudget(request.reasoningEffort, ask)
  if (budget === undefined || isAdaptive(model)) return undefined
  const limit = limitOf(ask)
  if (budget >= smallestBudget && budget < limit) return undefined
  return `thinking takes at least ${smallestBudget} tokens, and fewer than the ${limit} of the whole answer; it got ${budget}`
}

/** Nothing where no thinking is asked for. An effort leaves room for an answer; a number is the caller's own. */
function toBudget(effort: string | undefined, ask: Ask): number | undefined {
  const { own } = ask
  if (effort === 'off') return undefined
  if (own.thinkingBudgetTokens !== undefined || effort === undefined) return own.thinkingBudgetTokens
  const budget = budgets.get(effort)
  if (budget === undefined) throw unknownEffort(effort)
  return Math.min(budget, limitOf(ask) - 1)
}

function limitOf({ request, model }: Ask): number {
  return request.maxTokens ?? (model.maxTokens > 0 ? model.maxTokens : unknownLimit)
}

function isAdaptive({ compat = {} }: PiModel): boolean {
  return 'forceAdaptiveThinking' in compat && compat.forceAdaptiveThinking === true
}

function toAdaptiveEffort(effort: string, model: PiModel): string {
  assertKnownEffort(effort, model)
  return mappedEffort(effort, model) ?? (effort === 'minimal' ? 'low' : effort)
}

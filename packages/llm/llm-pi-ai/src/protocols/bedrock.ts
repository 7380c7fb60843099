import { isEffortWord, isThinking, unknownEffort } from '../effort.ts'
import type { Ask, Protocol } from '../protocol.ts'
import { findThinkingConflict, toClaudeChoice } from './claude-rules.ts'

/** Bedrock's Converse. It signs its requests itself, so they leave by the SDK of AWS and not by a `fetch`. */
export const bedrock: Protocol = Object.freeze({
  fields: { topP: 'inferenceConfig.topP', stop: 'inferenceConfig.stopSequences' },
  callIds: Object.freeze({ minLength: 1, maxLength: 64, alphabet: 'word' }),
  usage: {
    input: ['inputTokens'],
    output: ['outputTokens'],
    cacheRead: ['cacheReadInputTokens'],
    cacheWrite: ['cacheWriteInputTokens'],
    reasoning: [],
    inputHasCache: false,
  },
  finishReasons: {
    guardrail_intervened: { code: 'CONTENT_FILTER' },
    content_filtered: { code: 'CONTENT_FILTER' },
  },
  findConflict(ask: Ask) {
    const { request, model, own } = ask
    if (own.thinkingBudgetTokens !== undefined && request.reasoningEffort === undefined)
      return 'thinkingBudgetTokens takes a reasoningEffort on this API'
    // pi-ai asks only Claude to think.
    if (isThinking(ask) && !/claude/i.test(model.id))
      return `reasoningEffort cannot be sent to "${model.id}" by this API`
    return findThinkingConflict(ask)
  },
  toEffortOptions(effort: string | undefined, { own }: Ask) {
    if (effort === undefined || effort === 'off') return {}
    if (!isEffortWord(effort)) throw unknownEffort(effort)
    const budget = own.thinkingBudgetTokens
    return { reasoning: effort, ...(budget !== undefined && { thinkingBudgets: { [effort]: budget } }) }
  },
  toToolChoice: toClaudeChoice,
  extraBodyField: 'additionalModelRequestFields',
  findsCredentials: true,
  losesDigits: true,
  takesFetch: false,
} satisfies Protocol)

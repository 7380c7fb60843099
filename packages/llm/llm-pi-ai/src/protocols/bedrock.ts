import type { Ask, Protocol } from '../protocol.ts'

/** Bedrock's Converse. It signs its requests itself, so they leave by the SDK of AWS and not by a `fetch`. */
export const bedrock: Protocol = Object.freeze({
  fields: { topP: 'inferenceConfig.topP', stop: 'inferenceConfig.stopSequences' },
  callIds: Object.freeze({ minLength: 1, maxLength: 64, alphabet: 'word' }),
  maxToolNameLength: 64,
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
  findConflict({ request, model, own }: Ask) {
    const isThinking = request.reasoningEffort !== undefined && request.reasoningEffort !== 'off'
    // pi-ai asks only Claude to think.
    if (isThinking && !/claude/i.test(model.id))
      return `reasoningEffort cannot be sent to "${model.id}" by this API`
    return own.thinkingBudgetTokens !== undefined && !isThinking
      ? 'thinkingBudgetTokens takes a reasoningEffort on this API'
      : undefined
  },
  toEffortOptions(effort: string | undefined, { own }: Ask) {
    if (effort === undefined || effort === 'off') return {}
    const budget = own.thinkingBudgetTokens
    return { reasoning: effort, ...(budget !== undefined && { thinkingBudgets: { [effort]: budget } }) }
  },
  toToolChoice(choice) {
    if (choice === 'required') return 'any'
    return typeof choice === 'string' ? choice : { type: 'tool', name: choice.name }
  },
  extraBodyField: 'additionalModelRequestFields',
  findsCredentials: true,
  takesFetch: false,
} satisfies Protocol)

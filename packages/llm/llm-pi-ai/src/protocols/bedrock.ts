import type { Ask, Protocol } from '../protocol.ts'

/** Bedrock's Converse. It signs its requests itself, so they leave by the SDK of AWS and not by a `fetch`. */
export const bedrock: Protocol = Object.freeze({
  fields: { topP: 'inferenceConfig.topP', stop: 'inferenceConfig.stopSequences' },
  callIds: Object.freeze({ minLength: 1, maxLength: 64, alphabet: 'word' }),
  maxToolNameLength: 64,
  usage: {
    inputTokens: ['inputTokens'],
    outputTokens: ['outputTokens'],
    cacheReadTokens: ['cacheReadInputTokens'],
    cacheWriteTokens: ['cacheWriteInputTokens'],
    reasoningTokens: [],
  },
  finishReasons: {
    guardrail_intervened: { code: 'CONTENT_FILTER' },
    content_filtered: { code: 'CONTENT_FILTER' },
  },
  toEffortOptions: (effort: string, { own }: Ask) =>
    effort === 'off'
      ? {}
      : {
          reasoning: effort,
          ...(own.thinkingBudgetTokens !== undefined && {
            thinkingBudgets: { [effort]: own.thinkingBudgetTokens },
          }),
        },
  toToolChoice(choice) {
    if (choice === 'required') return 'any'
    return typeof choice === 'string' ? choice : { type: 'tool', name: choice.name }
  },
  takesFetch: false,
} satisfies Protocol)

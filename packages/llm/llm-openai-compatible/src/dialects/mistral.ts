import { createDialect, type Dialect } from '../dialect.ts'

/**
 * Mistral. Sources: npm `@mistralai/mistralai` 2.7.0, npm `@ai-sdk/mistral` 4.0.87, editor-code-assistant/eca#233 for the
 * ids of exactly nine characters. A forced call is spelled `any`; usage comes unasked.
 */
export const mistral: Dialect = createDialect({
  name: 'mistral',
  request: {
    callIds: { minLength: 9, maxLength: 9, alphabet: 'alphanumeric' },
    requiredToolChoice: 'any',
    seedField: 'random_seed',
    asksForUsage: false,
    continuationField: 'prefix',
  },
  response: { keepsReplayState: false, requestIdHeaders: ['mistral-correlation-id', 'x-request-id'] },
})

import { createDialect, type Dialect } from '../dialect.ts'

/**
 * Azure OpenAI, whose older API versions know no `developer` role. Sources: issues microsoft/TinyTroupe#85 and
 * browser-use/browser-use#262 for filter bodies; npm `openai` 7.59.0 for the body, which is OpenAI's. Other vendors'
 * models on the same host keep their own echo rule.
 */
export const azure: Dialect = createDialect({
  name: 'azure',
  request: {
    emptyContent: null,
    callIds: { minLength: 1, maxLength: 40, alphabet: 'word' },
    maxTokensField: 'max_completion_tokens',
    maxStops: 4,
  },
  response: {
    keepsReplayState: false,
    requestIdHeaders: ['apim-request-id', 'x-ms-request-id', 'x-request-id'],
  },
})

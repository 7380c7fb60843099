import { createDialect, type Dialect } from '../dialect.ts'

/**
 * Groq. Sources: npm `groq-sdk` type declarations, npm `@ai-sdk/groq` 4.0.84, recorded traffic. `max_tokens` is the
 * deprecated name; old reasoning is taken from a few models only, so none is sent.
 */
export const groq: Dialect = createDialect({
  name: 'groq',
  request: { maxTokensField: 'max_completion_tokens', maxStops: 4 },
  response: {
    reasoningFields: ['reasoning'],
    keepsReplayState: false,
    requestIdHeaders: ['x-request-id', 'cf-ray'],
  },
})

import { createDialect, type Dialect } from '../dialect.ts'

/**
 * OpenRouter. Sources: npm `@openrouter/ai-sdk-provider` 3.1.0 and traffic recorded by `rig`. Usage always comes;
 * reasoning goes back as the untouched `reasoning_details` of the turn that made it.
 */
export const openrouter: Dialect = createDialect({
  name: 'openrouter',
  request: {
    emptyContent: null,
    echoesReplayState: true,
    effortFields: (effort) => ({ reasoning: effort === 'off' ? { enabled: false } : { effort } }),
    asksForUsage: false,
  },
  response: {
    reasoningFields: ['reasoning', 'reasoning_content'],
    requestIdHeaders: ['x-generation-id', 'x-request-id', 'cf-ray'],
  },
})

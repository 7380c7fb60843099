import { createDialect, type Dialect } from '../dialect.ts'

/**
 * OpenAI's own endpoint. Sources: type declarations of npm `openai` 7.59.0; traffic recorded by `rig` (August 2026); the
 * id limit of 40 characters from npm `@ai-sdk/openai` 4.0.118. No reasoning text crosses this API in either direction.
 */
export const openai: Dialect = createDialect({
  name: 'openai',
  request: {
    systemRole: 'developer',
    emptyContent: null,
    emptyToolOutput: '',
    reasoningEcho: () => 'never',
    callIds: { minLength: 1, maxLength: 40, alphabet: 'word' },
    maxTokensField: 'max_completion_tokens',
    maxStops: 4,
  },
  response: { keepsReplayState: false, requestIdHeaders: ['x-request-id'] },
})

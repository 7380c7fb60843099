import { createDialect, type Dialect } from '../dialect.ts'
import { echoByFamily } from '../reasoning-echo.ts'

/**
 * Ollama's `/v1`. Sources: issues ollama/ollama#15457 and #16212, npm `ollama`. Several calls of one answer may all carry
 * index 0, which the identity rules for calls take care of.
 */
export const ollama: Dialect = createDialect({
  name: 'ollama',
  request: {
    reasoningField: 'reasoning',
    reasoningEcho: echoByFamily('with-tool-calls'),
    takesStrict: false,
  },
  response: { reasoningFields: ['reasoning', 'reasoning_content'], keepsReplayState: false },
})

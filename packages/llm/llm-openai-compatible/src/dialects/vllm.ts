import { createDialect, type Dialect } from '../dialect.ts'
import { echoByFamily } from '../reasoning-echo.ts'

/**
 * vLLM. Sources: npm `@earendil-works/pi-ai` 1.6.0, issue sgl-project/sglang#35736. Unknown fields are taken silently, so
 * a strict flag would be a promise nobody keeps; chat templates refuse a late system message.
 */
export const vllm: Dialect = createDialect({
  name: 'vllm',
  request: {
    laterSystemRole: 'user',
    reasoningField: 'reasoning',
    reasoningEcho: echoByFamily('with-tool-calls'),
    takesStrict: false,
  },
  response: { reasoningFields: ['reasoning', 'reasoning_content'], keepsReplayState: false },
})

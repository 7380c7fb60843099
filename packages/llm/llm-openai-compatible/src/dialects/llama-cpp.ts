import { createDialect, type Dialect } from '../dialect.ts'
import { echoByFamily } from '../reasoning-echo.ts'

/**
 * The server of llama.cpp. Sources: its overflow body and `timings` as recorded by `rig`, npm `@earendil-works/pi-ai`
 * 1.6.0. The chat template of the loaded model decides what it takes, so a late system message becomes a user's.
 */
export const llamaCpp: Dialect = createDialect({
  name: 'llama.cpp',
  request: {
    laterSystemRole: 'user',
    reasoningEcho: echoByFamily('with-tool-calls'),
    takesStrict: false,
  },
  response: {
    reasoningFields: ['reasoning_content'],
    keepsReplayState: false,
  },
})

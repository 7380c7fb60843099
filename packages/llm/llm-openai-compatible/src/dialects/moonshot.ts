import { createDialect, type Dialect } from '../dialect.ts'
import { echoByFamily } from '../reasoning-echo.ts'

/**
 * Moonshot (Kimi). Sources: npm `@ai-sdk/moonshotai` 3.0.60, npm `@earendil-works/pi-ai` 1.6.0, a vendor survey of
 * September 2026 for error types. Old reasoning is wanted in tool loops; `partial` continues an answer.
 */
export const moonshot: Dialect = createDialect({
  name: 'moonshot',
  request: {
    reasoningEcho: echoByFamily('with-tool-calls'),
    effortFields: (effort) =>
      effort === 'off' ? { thinking: { type: 'disabled' } } : { reasoning_effort: effort },
    jsonFormat: 'json_object',
    takesStrict: false,
    continuationField: 'partial',
  },
  response: {
    reasoningFields: ['reasoning_content'],
    keepsReplayState: false,
  },
})

import { createDialect, type Dialect } from '../dialect.ts'
import { echoByFamily } from '../reasoning-echo.ts'
import type { WireRequest } from '../wire-request.ts'

/**
 * Qwen on DashScope. Sources: npm `@ai-sdk/alibaba` 2.0.58, a vendor survey of September 2026. System text first only,
 * user and assistant in turn; old reasoning is wanted in tool loops.
 */
export const qwen: Dialect = createDialect({
  name: 'qwen',
  request: {
    laterSystemRole: 'user',
    joinsUserTurns: true,
    reasoningEcho: echoByFamily('with-tool-calls'),
    effortFields: (effort) =>
      effort === 'off' ? { enable_thinking: false } : { enable_thinking: true, reasoning_effort: effort },
    jsonFormat: 'json_object',
    takesStrict: false,
    findConflict,
  },
  response: {
    reasoningFields: ['reasoning_content'],
    keepsReplayState: false,
  },
})

function findConflict({ tool_choice: choice, enable_thinking: thinks }: WireRequest): string | undefined {
  if (choice === 'required') {
    return 'Qwen refuses toolChoice "required": name the tool, or set toolChoice to "auto"'
  }
  if (typeof choice !== 'object' || thinks !== true) return undefined
  return 'A named toolChoice cannot be combined with thinking: set reasoningEffort to "off" or toolChoice to "auto"'
}

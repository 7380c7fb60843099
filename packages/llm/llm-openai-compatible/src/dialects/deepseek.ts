import { createDialect, type Dialect } from '../dialect.ts'
import { deepSeekEcho } from '../reasoning-echo.ts'
import type { WireRequest } from '../wire-request.ts'

/**
 * DeepSeek's own endpoint and hosts that copy it. Sources: DeepSeek API docs "Create Chat Completion" and "Thinking
 * Mode" (October 2026), traffic recorded by `rig`, npm `@ai-sdk/deepseek` 3.0.56. `system` is refused behind other
 * messages (danny-avila/LibreChat#5377), `seed` is not documented, `n` and `json_schema` do not exist on chat.
 */
export const deepseek: Dialect = createDialect({
  name: 'deepseek',
  request: {
    laterSystemRole: 'user',
    reasoningEcho: deepSeekEcho,
    effortFields: (effort) =>
      effort === 'off'
        ? { thinking: { type: 'disabled' } }
        : { thinking: { type: 'enabled' }, reasoning_effort: effort },
    maxStops: 16,
    seedField: undefined,
    jsonFormat: 'json_object',
    continuationField: 'prefix',
    findConflict,
  },
  response: {
    reasoningFields: ['reasoning_content'],
    keepsReplayState: false,
    requestIdHeaders: ['x-ds-trace-id', 'x-request-id', 'x-deepseek-request-id'],
  },
})

const MAX_TOOLS = 128

function findConflict({ tools, tool_choice: choice, thinking }: WireRequest): string | undefined {
  if (Array.isArray(tools) && tools.length > MAX_TOOLS) {
    return `The request has ${tools.length} tools, DeepSeek takes at most ${MAX_TOOLS}, offer fewer`
  }
  const isForced = choice === 'required' || typeof choice === 'object'
  // Thinking is on unless the request says otherwise.
  if (!isForced || isDisabled(thinking)) return undefined
  return 'A forced toolChoice cannot be combined with thinking, which is on by default: set reasoningEffort to "off" or toolChoice to "auto"'
}

function isDisabled(thinking: unknown): boolean {
  return typeof thinking === 'object' && thinking !== null && 'type' in thinking && thinking.type === 'disabled'
}

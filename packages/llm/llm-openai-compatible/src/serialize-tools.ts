import { type GenerateOptions, type JsonValue, LlmError, type ToolChoice, type ToolSchema } from 'dsh-llm'
import type { ProviderFields } from './provider-options.ts'
import type { RequestRules } from './request-rules.ts'
import type { ToolNames } from './tool-names.ts'
import { wellFormed, wellFormedJson } from './well-formed.ts'
import type { WireTool } from './wire-request.ts'

/** The tools of a request in the caller's order; a strict flag that the server does not know is `UNSUPPORTED_OPTION`. */
export function serializeTools(
  tools: readonly ToolSchema[],
  names: ToolNames,
  strict: boolean | undefined,
): readonly WireTool[] {
  return tools.map(({ name, description, parameters }) => ({
    type: 'function',
    function: {
      name: names.toWire(name),
      description: wellFormed(description),
      parameters: wellFormedJson(parameters),
      ...(strict === undefined ? undefined : { strict }),
    },
  }))
}

/**
 * The tool choice in the dialect's spelling. Without tools `auto` and `none` hold anyway and are left out; a forced
 * call that cannot happen is `INVALID_REQUEST`.
 */
export function serializeToolChoice(
  request: GenerateOptions,
  rules: RequestRules,
  names: ToolNames,
): JsonValue | undefined {
  const { toolChoice, tools = [] } = request
  if (toolChoice === undefined) return undefined
  assertPossible(toolChoice, tools)
  if (tools.length === 0) return undefined
  if (typeof toolChoice === 'object')
    return { type: 'function', function: { name: names.toWire(toolChoice.name) } }
  return toolChoice === 'required' ? rules.requiredToolChoice : toolChoice
}

/** Servers answer these with errors that name neither the tool nor the option. */
function assertPossible(choice: ToolChoice, tools: readonly ToolSchema[]): void {
  if (typeof choice === 'object' && !tools.some(({ name }) => name === choice.name)) {
    const message = `toolChoice names "${choice.name.slice(0, 100)}", which is not among the request's ${tools.length} tools, add it or choose another`
    throw new LlmError(message, 'INVALID_REQUEST')
  }
  if (choice === 'required' && tools.length === 0) {
    throw new LlmError(
      'toolChoice is "required" but the request has no tools, give at least one',
      'INVALID_REQUEST',
    )
  }
}

/** Refuses strict flags that the server would reject or ignore. */
export function assertStrictTaken({ strictTools, strictSchema }: ProviderFields, rules: RequestRules): void {
  if (rules.takesStrict || (strictTools !== true && strictSchema !== true)) return
  const option = strictTools === true ? 'strictTools' : 'strictSchema'
  throw new LlmError(
    `${option} cannot be honoured: this server has no strict mode, leave it out`,
    'UNSUPPORTED_OPTION',
  )
}

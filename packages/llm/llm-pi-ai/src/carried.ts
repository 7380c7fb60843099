import { LlmError, type OptionName } from 'dsh-llm'
import { type Ask, optionsOf, type Protocol } from './protocol.ts'

/** Options by the member of the request that asks for them. */
const members = ['topP', 'seed', 'stop', 'responseFormat'] as const satisfies readonly OptionName[]

/**
 * Refuses before any I/O what the API of the model cannot carry: `UNSUPPORTED_OPTION`. The runtime asks only what an
 * adapter can carry at all, and routes of one adapter may speak several APIs.
 */
export function assertCarried(ask: Ask, protocol: Protocol): void {
  const { request, model } = ask
  const carried = optionsOf(protocol)
  const missing = members.find((name) => isAsked(request[name]) && !carried.has(name))
  if (missing !== undefined) throw refused(`${missing} cannot be sent by the API ${model.api} of "${model.id}"`)
  const { maxStops = Infinity } = protocol
  const { stop = [] } = request
  if (stop.length > maxStops)
    throw refused(`${stop.length} stop texts are more than the ${maxStops} the API takes`)
  if (request.reasoningEffort === 'off' && ask.own.thinkingBudgetTokens !== undefined)
    throw refused('thinkingBudgetTokens does not go with the reasoning effort "off"')
  const conflict = protocol.findConflict?.(ask)
  if (conflict !== undefined) throw refused(conflict)
}

/** Text is what an answer is anyway. */
function isAsked(value: unknown): boolean {
  if (Array.isArray(value)) return value.length > 0
  return typeof value === 'object' && value !== null && 'type' in value
    ? value.type !== 'text'
    : value !== undefined
}

function refused(why: string): LlmError {
  return new LlmError(
    `The option is not supported: ${why}; leave it away or ask another model`,
    'UNSUPPORTED_OPTION',
  )
}

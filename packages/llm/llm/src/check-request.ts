import type { Registration } from './adapter-registry.ts'
import { LlmAdapter } from './adapter.ts'
import { LlmError } from './error.ts'
import { checkedModelInfo } from './model-info-check.ts'
import type { GenerateOptions } from './types.ts'

/** Fields that every adapter honours, or that mean nothing to it. */
const common: ReadonlySet<string> = new Set(['provider', 'model', 'messages', 'sessionId', 'purpose', 'signal'])

/** The given options that an adapter does not honour, in the order they were given. An empty list asks for nothing. */
export function unsupportedOptions(options: GenerateOptions, adapter: LlmAdapter): readonly string[] {
  const honoured: ReadonlySet<string> = adapter.options
  return Object.entries(options)
    .filter(([name, value]) => isAsked(value) && !common.has(name) && !honoured.has(name))
    .map(([name]) => name)
}

function isAsked(value: unknown): boolean {
  return value !== undefined && !(Array.isArray(value) && value.length === 0)
}

/** Throws `UNSUPPORTED_OPTION`, since nothing that was asked for is dropped in silence. */
export function assertSupported(options: GenerateOptions, { adapter, plugin }: Registration): void {
  const names = unsupportedOptions(options, adapter)
  if (names.length === 0) return
  const message = `Provider "${options.provider}" (plugin "${plugin}") cannot honour ${names.join(', ')}`
  throw new LlmError(`${message}; leave it out or use another provider`, 'UNSUPPORTED_OPTION')
}

/** Whether the model's own list must be asked before the call (L4). */
export function hasEffortToCheck(options: GenerateOptions, adapter: LlmAdapter): boolean {
  return options.reasoningEffort !== undefined && adapter.resolveModel !== LlmAdapter.prototype.resolveModel
}

/**
 * Rejects with `UNSUPPORTED_REASONING_EFFORT` unless the exact model lists the effort (L4). A model of which nothing is
 * known about reasoning is left to its adapter.
 */
export async function assertEffort(
  { provider, model, reasoningEffort }: GenerateOptions,
  adapter: LlmAdapter,
  signal: AbortSignal,
): Promise<void> {
  const { reasoning } = checkedModelInfo(await adapter.resolveModel(provider, model, signal), provider, model)
  const offered = reasoning?.efforts.map((effort) => effort.id)
  if (offered === undefined || offered.some((id) => id === reasoningEffort)) return
  const choice = offered.length === 0 ? 'it offers none' : `choose one of ${offered.join(', ')}`
  const message = `Model "${model}" of provider "${provider}" has no reasoning effort "${reasoningEffort}"; ${choice}`
  throw new LlmError(message, 'UNSUPPORTED_REASONING_EFFORT')
}

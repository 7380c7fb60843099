import { type GenerateOptions, type JsonObject, LlmError } from 'dsh-llm'
import { assertKnownKeys, type ProviderFields } from 'dsh-llm-openai-compatible'

/** `providerOptions.deepseek`: what only DeepSeek knows. */
export interface DeepSeekOptions {
  /** Sent as `user_id`; it separates caches, scheduling and content-safety records. Letters, digits, `_`, `-`, at most 512. */
  readonly userId?: string | undefined
  /** Thinking on or off without naming an effort; may repeat what `reasoningEffort` says, not contradict it. */
  readonly thinking?: 'enabled' | 'disabled' | undefined
  /** Holds the model to each tool's schema, on the beta endpoint; every schema must keep to DeepSeek's subset. */
  readonly strictTools?: boolean | undefined
  /** The last message is an assistant's and the answer goes on where its text ends, on the beta endpoint. */
  readonly prefix?: boolean | undefined
}

declare module 'dsh-llm' {
  interface ProviderOptionsMap {
    deepseek: DeepSeekOptions
  }
}

const knownKeys: ReadonlySet<string> = new Set(['userId', 'thinking', 'strictTools', 'prefix'])

/** The stricter of the two documented rules. */
const legalUserId = /^[\w-]{1,512}$/

/** The `deepseek` entry as body fields and flags; an unknown key or an impossible value is `INVALID_REQUEST`. */
export function readDeepSeekOptions(request: GenerateOptions): ProviderFields {
  const options = request.providerOptions?.deepseek
  if (options === undefined) return {}
  assertKnownKeys('deepseek', options, knownKeys)
  const { userId, thinking, strictTools, prefix } = options
  assertSwitch('strictTools', strictTools)
  assertSwitch('prefix', prefix)
  // Callers without a compiler give numbers, too.
  if (userId !== undefined && (typeof userId !== 'string' || !legalUserId.test(userId))) {
    // The value may name a person, so it is not repeated.
    throw refused('userId', 'is not sendable: use 1 to 512 letters, digits, _ and -')
  }
  const body = { user_id: userId, thinking: toThinking(thinking, request.reasoningEffort) }
  return { body, strictTools: strictTools === true ? true : undefined, continuesAnswer: prefix }
}

/** Whether the options ask for something that only the beta endpoint knows. */
export function needsBeta({ providerOptions, tools = [] }: GenerateOptions): boolean {
  const { strictTools, prefix } = providerOptions?.deepseek ?? {}
  return prefix === true || (strictTools === true && tools.length > 0)
}

/** Nothing where the effort has said it already. */
function toThinking(
  thinking: DeepSeekOptions['thinking'],
  effort: GenerateOptions['reasoningEffort'],
): JsonObject | undefined {
  if (thinking === undefined) return undefined
  if (thinking !== 'enabled' && thinking !== 'disabled') {
    throw refused('thinking', 'must be "enabled" or "disabled"')
  }
  if (effort === undefined) return { type: thinking }
  if ((effort === 'off') === (thinking === 'disabled')) return undefined
  throw refused('thinking', `is "${thinking}" but reasoningEffort is "${effort}", leave one of them out`)
}

function assertSwitch(option: string, value: unknown): void {
  if (value !== undefined && typeof value !== 'boolean') throw refused(option, 'must be true or false')
}

function refused(option: string, why: string): LlmError {
  return new LlmError(`providerOptions.deepseek.${option} ${why}`, 'INVALID_REQUEST')
}

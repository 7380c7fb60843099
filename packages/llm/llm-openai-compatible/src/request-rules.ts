import type { GenerateOptions, JsonObject } from 'dsh-llm'
import type { CallIdRules } from './call-ids.ts'
import { type ProviderFields, readOpenAiCompatibleOptions } from './provider-options.ts'
import { echoByFamily } from './reasoning-echo.ts'
import type { WireRequest } from './wire-request.ts'

/**
 * Which assistant turns carry their reasoning back: none, those that have any, those with tool calls that have any, or
 * every one, with `""` where there was none.
 */
export type ReasoningEcho = 'never' | 'when-present' | 'with-tool-calls' | 'always'

/** How one server wants its requests written. Frozen; the functions are pure, so bodies are the same on every rebuild. */
export interface RequestRules {
  /** Role of `system` and of system messages. */
  readonly systemRole: 'system' | 'developer'
  /**
   * Role of system messages after the first other message; they keep their place. Servers that take `system` only at
   * the start get `user`, and one system message that joins all leading ones.
   */
  readonly laterSystemRole: 'system' | 'user'
  /** Joins user texts that follow each other, for servers that insist on alternation. */
  readonly joinsUserTurns: boolean
  /** `content` of an assistant turn that only calls tools; the key is always there. */
  readonly emptyContent: '' | null
  /** Stands for the output of a tool that returned no text. */
  readonly emptyToolOutput: string
  /** Stands before the output of a failed tool, since this wire has no flag for it. */
  readonly toolErrorMark: string
  /** Field of an assistant message in which reasoning travels back. */
  readonly reasoningField: string
  readonly reasoningEcho: (model: string) => ReasoningEcho
  /** Whether replay state goes back to the provider and model that made it. */
  readonly echoesReplayState: boolean
  /** Put on the first tool call of a turn that another model made, where the server insists on a signature. */
  readonly foreignCallFields: JsonObject | undefined
  /** Body fields that ask for an effort. */
  readonly effortFields: (effort: string) => JsonObject
  readonly callIds: CallIdRules
  /** Longest tool name; the legal characters are letters, digits, `_` and `-` everywhere. */
  readonly maxToolNameLength: number
  readonly maxTokensField: 'max_tokens' | 'max_completion_tokens'
  /** How many stop texts one request may have. */
  readonly maxStops: number
  /** Absent where the server has no seed. */
  readonly seedField: 'seed' | 'random_seed' | undefined
  readonly requiredToolChoice: 'required' | 'any'
  /** `json_object` cannot carry a schema. */
  readonly jsonFormat: 'json_schema' | 'json_object'
  readonly takesStrict: boolean
  /** Whether `stream_options.include_usage` must, and may, be sent. */
  readonly asksForUsage: boolean
  /** Marks the last assistant message as the beginning of the answer; absent where that cannot be asked. */
  readonly continuationField: 'prefix' | 'partial' | undefined
  /** Reads the dialect's own entry of `providerOptions` and refuses keys it does not know. */
  readonly readProviderOptions: (request: GenerateOptions) => ProviderFields
  /** Says why this server would refuse the finished body, or nothing. The text ends up in an `INVALID_REQUEST`. */
  readonly findConflict: (body: WireRequest) => string | undefined
}

/** Rules for one dialect: any field given replaces the generic one. */
export function createRequestRules(overrides: Partial<RequestRules> = {}): RequestRules {
  return Object.freeze({ ...genericRequestRules, ...overrides })
}

const genericRequestRules: RequestRules = Object.freeze({
  systemRole: 'system',
  laterSystemRole: 'system',
  joinsUserTurns: false,
  emptyContent: '',
  emptyToolOutput: '(the tool returned nothing)',
  toolErrorMark: 'Error: ',
  reasoningField: 'reasoning_content',
  reasoningEcho: echoByFamily('never'),
  echoesReplayState: false,
  foreignCallFields: undefined,
  effortFields: (effort: string): JsonObject => ({ reasoning_effort: effort === 'off' ? 'none' : effort }),
  callIds: Object.freeze({ minLength: 1, maxLength: 64, alphabet: 'word' }),
  maxToolNameLength: 64,
  maxTokensField: 'max_tokens',
  maxStops: Infinity,
  seedField: 'seed',
  requiredToolChoice: 'required',
  jsonFormat: 'json_schema',
  takesStrict: true,
  asksForUsage: true,
  continuationField: undefined,
  readProviderOptions: readOpenAiCompatibleOptions,
  findConflict: (): undefined => undefined,
})

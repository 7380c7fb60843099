import type { SseFraming } from './sse-frames.ts'

/** How one server of the Messages wire differs from another in what it streams. */
export interface AnthropicDialect extends SseFraming {
  /** Comes just before the end of the thinking block; undefined sends none, as some compatible servers do. */
  readonly signature: string | undefined
  /** Whether the start of the thinking block has the signature as well, as DeepSeek sends it. */
  readonly signatureOnStart: boolean
  /** Data of a redacted block that follows the thinking; undefined sends no such block. */
  readonly redacted: string | undefined
  /** Where input is counted: on `message_start`, on `message_delta`, or on both. Output is counted on both. */
  readonly inputUsage: 'start' | 'delta' | 'both'
  /** What explains the stop, such as a refusal's category and explanation. */
  readonly stopDetails: Readonly<Record<string, unknown>> | null
  /** Stands on an error; undefined leaves the field out. */
  readonly requestId: string | undefined
  readonly callIdPrefix: string
  readonly id: string
  readonly model: string
}

/** Anthropic's own API. */
export const anthropicDialect: AnthropicDialect = {
  done: false,
  signature: 'dGVzdGtpdCB0aGlua2luZw==',
  signatureOnStart: false,
  redacted: undefined,
  inputUsage: 'both',
  stopDetails: null,
  requestId: 'req_testkit',
  callIdPrefix: 'toolu_',
  id: 'msg_testkit',
  model: 'claude-demo',
}

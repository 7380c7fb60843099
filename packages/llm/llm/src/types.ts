import type { ContentBlock, ContentBlockType } from './content.ts'
import type { CallId, MessageId, ProviderRequestId, ReasoningEffortId, SessionId } from './ids.ts'
import type { JsonObject, JsonValue } from './json.ts'

/** Where a message came from, open to declaration merging; each entry lists the fields beside `kind`. */
export interface MessageSourceMap {
  user: object
  plugin: { readonly plugin: string }
  /** `replayState` belongs to the adapter that made it; nobody else may read or change it. */
  model: {
    readonly provider: string
    readonly model: string
    readonly replayState?: ReplayEnvelope | undefined
  }
  tool: { readonly callId: CallId }
}

export type MessageSource = {
  [Kind in keyof MessageSourceMap]: { readonly kind: Kind } & MessageSourceMap[Kind]
}[keyof MessageSourceMap]

export type MessageRole = 'system' | 'user' | 'assistant'

/**
 * One turn of a conversation, deep-frozen from birth. A tool result is a `user` message with one `tool-result` block
 * and a `tool` source.
 */
export interface Message {
  readonly id: MessageId
  readonly role: MessageRole
  readonly content: readonly ContentBlock[]
  readonly source: MessageSource
}

/**
 * Adapter-private facts that must travel back on the next turn (signatures, item ids), as lossless JSON. `blocks[i]`
 * belongs to the block with index `i`; `null` means nothing is kept for it.
 */
export interface ReplayEnvelope {
  readonly response: JsonValue
  readonly blocks?: readonly JsonValue[] | undefined
}

/** A tool as the model sees it; `parameters` is a JSON Schema of an object. */
export interface ToolSchema {
  readonly name: string
  readonly description: string
  readonly parameters: JsonObject
}

/** `required` forces some call, `{ name }` that very tool; both may be refused by a provider in thinking mode. */
export type ToolChoice = 'auto' | 'none' | 'required' | { readonly name: string }

/** `json` without `schema` asks for any JSON value; what a provider enforces is stated by its adapter. */
export type ResponseFormat =
  | { readonly type: 'text' }
  | { readonly type: 'json'; readonly schema?: JsonObject | undefined; readonly name?: string | undefined }

/** Options that only one adapter family knows, merged in by its package under its own key, as plain data. */
export interface ProviderOptionsMap {}

/** One request in neutral words. Absent means: say nothing to the provider about it. */
export interface GenerateOptions {
  /** The route that answers; one registered adapter owns it. */
  readonly provider: string
  readonly model: string
  readonly reasoningEffort?: ReasoningEffortId | string | undefined
  readonly messages: readonly Message[]
  /** Instructions before the first message. */
  readonly system?: string | undefined
  readonly tools?: readonly ToolSchema[] | undefined
  readonly temperature?: number | undefined
  /** Upper bound of generated tokens, reasoning included where the provider counts it so. */
  readonly maxTokens?: number | undefined
  readonly stop?: readonly string[] | undefined
  /** Aborting it ends the stream with `aborted` at once, whatever the adapter does. */
  readonly signal?: AbortSignal | undefined
  readonly sessionId?: SessionId | string | undefined
  readonly purpose?: 'compaction' | 'session-title' | undefined
  readonly toolChoice?: ToolChoice | undefined
  readonly responseFormat?: ResponseFormat | undefined
  readonly topP?: number | undefined
  readonly seed?: number | undefined
  /** Extra request headers; they cannot replace authentication or attribution. */
  readonly headers?: Readonly<Record<string, string>> | undefined
  readonly providerOptions?: Partial<ProviderOptionsMap> | undefined
}

/** A failure as data: frozen and serialisable. Whether it may be tried again is policy, so it is not said here. */
export interface LlmFailure {
  readonly message: string
  /** Stable; the table is in `docs/failures.md`. */
  readonly code: string
  /** HTTP status, if an answer came. */
  readonly status?: number | undefined
  /** How long the provider asked to wait, in milliseconds. */
  readonly providerRetryAfterMs?: number | undefined
  readonly requestId?: ProviderRequestId | undefined
}

/** Why a stream ended, open to declaration merging; each entry lists the fields beside `kind`. */
export interface FinishReasonMap {
  stop: object
  'tool-calls': object
  'max-tokens': object
  aborted: { readonly failure: LlmFailure }
  error: { readonly failure: LlmFailure }
}

export type FinishReason = {
  [Kind in keyof FinishReasonMap]: { readonly kind: Kind } & FinishReasonMap[Kind]
}[keyof FinishReasonMap]

/**
 * Token counts, disjoint except `reasoningTokens`, which is a part of `outputTokens`. Unknown is absent, never 0,
 * negative or NaN.
 */
export interface TokenUsage {
  /** Input that no cache served. */
  readonly inputTokens?: number | undefined
  readonly outputTokens?: number | undefined
  readonly cacheReadTokens?: number | undefined
  readonly cacheWriteTokens?: number | undefined
  readonly reasoningTokens?: number | undefined
}

/** Who answered. `provider` and `model` are the route really dispatched to; the rest is what the wire reported. */
export interface ResponseInfo {
  readonly provider: string
  readonly model: string
  readonly id?: string | undefined
  readonly servedModel?: string | undefined
  readonly requestId?: ProviderRequestId | undefined
  readonly rawFinishReason?: string | undefined
}

export interface BlockStartChunk {
  readonly type: 'block-start'
  readonly index: number
  readonly blockType: ContentBlockType
}

export interface TextDeltaChunk {
  readonly type: 'text-delta'
  readonly index: number
  readonly text: string
}

export interface ReasoningDeltaChunk {
  readonly type: 'reasoning-delta'
  readonly index: number
  readonly text: string
}

/** `name` is on the first delta of its index; `id` on all of them, and constant (R5). */
export interface ToolCallDeltaChunk {
  readonly type: 'tool-call-delta'
  readonly index: number
  readonly id: CallId
  readonly name?: string | undefined
  readonly argumentsDelta: string
}

/** `block` is whole and authoritative; for a tool call it promises that the call may be run (R4). */
export interface BlockEndChunk {
  readonly type: 'block-end'
  readonly index: number
  readonly block: ContentBlock
}

/** A cumulative snapshot: the last one wins (R6). */
export interface UsageChunk {
  readonly type: 'usage'
  readonly usage: TokenUsage
}

/**
 * Everything before this chunk is void; another attempt follows after `delayMs`. `usage` is what the void attempt
 * cost, `next` the route of the coming one when it changes. Only listeners emit it.
 */
export interface AttemptChunk {
  readonly type: 'attempt'
  /** Number of the coming attempt: 2, 3, … */
  readonly attempt: number
  readonly failure: LlmFailure
  readonly delayMs: number
  readonly usage?: TokenUsage | undefined
  readonly next?: { readonly provider: string; readonly model: string } | undefined
}

/** The end of every stream, exactly once and last (R1). */
export interface FinishChunk {
  readonly type: 'finish'
  readonly reason: FinishReason
  readonly replayState?: ReplayEnvelope | undefined
  readonly response?: ResponseInfo | undefined
}

/** One event of a stream: a closed union, so a switch over `type` ends in `assertNever`. */
export type StreamChunk =
  | BlockStartChunk
  | TextDeltaChunk
  | ReasoningDeltaChunk
  | ToolCallDeltaChunk
  | BlockEndChunk
  | UsageChunk
  | AttemptChunk
  | FinishChunk

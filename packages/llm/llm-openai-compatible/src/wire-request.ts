import type { JsonObject, JsonValue } from 'dsh-llm'

/** The body of `POST …/chat/completions`; fields that nobody asked for are absent. */
export interface WireRequest {
  readonly model: string
  readonly messages: readonly WireMessage[]
  readonly [field: string]: JsonValue | readonly WireMessage[] | undefined
}

/** Instructions, or what the user said. */
export interface WireTextMessage {
  readonly role: 'system' | 'developer' | 'user'
  readonly content: string
}

/** The output of one call; a failed one says so in its text only. */
export interface WireToolMessage {
  readonly role: 'tool'
  readonly tool_call_id: string
  readonly content: string
}

/** Reasoning, its details and the continuation mark stand under names that the dialect chooses. */
export interface WireAssistantMessage {
  readonly role: 'assistant'
  readonly content: string | null
  readonly tool_calls?: readonly WireToolCall[] | undefined
  readonly [field: string]: JsonValue | readonly WireToolCall[] | undefined
}

/** One entry of `messages`. */
export type WireMessage = WireTextMessage | WireToolMessage | WireAssistantMessage

/** Fields that a server wants back with the call, such as `extra_content`, stand beside the known ones. */
export interface WireToolCall {
  readonly id: string
  readonly type: 'function'
  readonly function: { readonly name: string; readonly arguments: string }
  readonly [field: string]: JsonValue | undefined
}

/** A tool as the wire lists it. */
export interface WireTool {
  readonly type: 'function'
  readonly function: {
    readonly name: string
    readonly description: string
    readonly parameters: JsonObject
    readonly strict?: boolean | undefined
  }
}

declare const brand: unique symbol

/** A string that only its maker produces, so that one kind of id is never passed for another. */
export type Branded<Name extends string> = string & { readonly [brand]: Name }

export type MessageId = Branded<'MessageId'>
/** Identity of one tool call; unique among the unanswered calls of a history, not across all of it. */
export type CallId = Branded<'CallId'>
export type SessionId = Branded<'SessionId'>
/** A level of reasoning as the exact model lists it, for example `low` or `max`. */
export type ReasoningEffortId = Branded<'ReasoningEffortId'>
/** The provider's own name for one request, quoted when its support is asked. */
export type ProviderRequestId = Branded<'ProviderRequestId'>

export const MessageId = (value: string): MessageId => value as MessageId
export const CallId = (value: string): CallId => value as CallId
export const SessionId = (value: string): SessionId => value as SessionId
export const ReasoningEffortId = (value: string): ReasoningEffortId => value as ReasoningEffortId
export const ProviderRequestId = (value: string): ProviderRequestId => value as ProviderRequestId

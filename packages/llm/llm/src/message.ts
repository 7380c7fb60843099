import { HarnessError } from 'dsh-context'
import type { ContentBlock } from './content.ts'
import { markFrozen } from './deep-freeze.ts'
import { detach } from './detach.ts'
import { type CallId, MessageId } from './ids.ts'
import { messageShape } from './message-shape.ts'
import { mintMessageId } from './mint-id.ts'
import { readString } from './read-property.ts'
import type { Message, MessageRole, MessageSource } from './types.ts'
import { describeFault } from './value-rules.ts'

/** A text stands for one text block; an empty one for no block at all. */
export type MessageContent = string | readonly ContentBlock[]

/** Everything a message is made of. */
export interface MessageInput {
  readonly role: MessageRole
  readonly content: MessageContent
  readonly source: MessageSource
  /** A random one by default. */
  readonly id?: MessageId | undefined
}

/** What differs from a plain message of the user. */
export interface UserMessageOptions {
  readonly id?: MessageId | undefined
  /** The user by default; a plugin that speaks in the user's place names itself. */
  readonly source?: MessageSource | undefined
}

/** The outcome of one tool call; `isError` tells the model that the tool failed. */
export interface ToolResultInput {
  readonly callId: CallId
  readonly content: MessageContent
  readonly isError?: boolean | undefined
  readonly id?: MessageId | undefined
}

const known = new WeakSet<object>()

/**
 * Makes a message that shares nothing with its input and is deep-frozen. Input that is no plain data, or no message,
 * throws `INVALID_MESSAGE` naming the path.
 */
export function createMessage(input: MessageInput): Message {
  const { role, content, source, id = MessageId(mintMessageId()) } = input
  return freezeMessage({ id, role, content: toBlocks(content), source })
}

/** A message of the user, or of a plugin that speaks in the user's place. */
export function createUserMessage(content: MessageContent, options: UserMessageOptions = {}): Message {
  const { source = { kind: 'user' }, id } = options
  return createMessage({ role: 'user', content, source, id })
}

/** What a model said; `source` names the route that answered. */
export function createAssistantMessage(input: Omit<MessageInput, 'role'>): Message {
  const { content, source, id } = input
  return createMessage({ role: 'assistant', content, source, id })
}

/** The answer to one tool call, as the user message it travels in. */
export function createToolResultMessage(input: ToolResultInput): Message {
  const { callId, content, isError, id } = input
  const block: ContentBlock = { type: 'tool-result', toolCallId: callId, content: toBlocks(content), isError }
  return createMessage({ role: 'user', content: [block], source: { kind: 'tool', callId }, id })
}

/** A detached, deep-frozen copy of a message, or the very same object if it is one already. */
export function freezeMessage(message: Message): Message {
  if (known.has(message)) return message
  const copy = detachMessage(message)
  known.add(markFrozen(copy))
  return copy
}

function detachMessage(message: Message): Message {
  const copy: unknown = detachOrRefuse(message)
  const fault = messageShape(copy, '')
  if (fault !== undefined) throw unusable(describeFault(fault))
  return copy as Message
}

function detachOrRefuse(message: Message): unknown {
  try {
    return detach(message)
  } catch (error) {
    throw unusable(`${readString(error, 'message')}, give plain JSON data`)
  }
}

function unusable(why: string): HarnessError {
  return new HarnessError(`The message cannot be used: ${why}`, 'INVALID_MESSAGE')
}

function toBlocks(content: MessageContent): readonly ContentBlock[] {
  if (typeof content !== 'string') return content
  return content === '' ? [] : [{ type: 'text', text: content }]
}

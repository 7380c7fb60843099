import type { ContentBlock, Message } from 'dsh-llm'

/** What planning a request must know about a message, found once and remembered, since messages never change. */
export interface MessageFacts {
  /** Ids of its tool calls, in order. */
  readonly openedIds: readonly string[]
  /** Ids its tool results answer, in order. */
  readonly answeredIds: readonly string[]
  /** Whether its last wire message is one of plain text from a user or the system. */
  readonly endsWithText: boolean
}

const remembered = new WeakMap<Message, MessageFacts>()
const none: readonly string[] = Object.freeze([])
const plainText: MessageFacts = Object.freeze({ openedIds: none, answeredIds: none, endsWithText: true })

/** The facts of a frozen message; all messages of plain text share one object. */
export function messageFacts(message: Message): MessageFacts {
  const known = remembered.get(message)
  if (known !== undefined) return known
  const facts = findFacts(message)
  if (Object.isFrozen(message)) remembered.set(message, facts)
  return facts
}

function findFacts({ role, content }: Message): MessageFacts {
  const openedIds = content.flatMap((block) => (block.type === 'tool-call' ? [block.id] : none))
  const answeredIds = content.flatMap((block) => (block.type === 'tool-result' ? [block.toolCallId] : none))
  const endsWithText = role !== 'assistant' && (answeredIds.length === 0 || content.some(isText))
  if (endsWithText && openedIds.length === 0 && answeredIds.length === 0) return plainText
  return Object.freeze({ openedIds, answeredIds, endsWithText })
}

const isText = ({ type }: ContentBlock): boolean => type === 'text'

import type { ContentBlock } from './content.ts'
import { LlmError } from './error.ts'
import type { CallId } from './ids.ts'
import type { Message } from './types.ts'

/** Calls of the latest assistant message that still wait for their result. */
type OpenCalls = Set<CallId>

/**
 * Throws `INVALID_HISTORY`, naming the id, unless every tool call is answered exactly once before the next assistant or
 * user content. A call unanswered at the end counts as well, since the answer asked for would be that next assistant
 * content; an id used again after it was answered is legal. The first `known` messages are the start of a valid
 * history, of which at most the last round is looked at again.
 */
export function checkHistory(messages: readonly Message[], known = 0): void {
  const open: OpenCalls = new Set()
  for (let index = roundStart(messages, known); index < messages.length; index += 1) {
    const message = messages[index]
    if (message !== undefined) checkMessage(message, index, open)
  }
  for (const id of open) throw invalid(`it ends although the tool call ${quote(id)} has no result yet`)
}

/** The last place before `known` where a valid history has no unanswered call. */
function roundStart(messages: readonly Message[], known: number): number {
  for (let index = known - 1; index > 0; index -= 1) {
    const message = messages[index]
    if (message?.role === 'assistant') return index
    if (message?.role === 'user' && message.content[0]?.type !== 'tool-result') return index
  }
  return 0
}

function checkMessage({ role, content }: Message, index: number, open: OpenCalls): void {
  if (role === 'assistant') requireAnswered(open, index)
  const place = { role, index, open }
  for (const block of content) checkBlock(block, place)
}

interface Place {
  readonly role: Message['role']
  readonly index: number
  readonly open: OpenCalls
}

function checkBlock(block: ContentBlock, place: Place): void {
  if (block.type === 'tool-call') openCall(block.id, place)
  else if (block.type === 'tool-result') answerCall(block.toolCallId, place)
  else if (place.role === 'user') requireAnswered(place.open, place.index)
}

function openCall(id: CallId, { role, index, open }: Place): void {
  if (role !== 'assistant') refuse(index, `has the tool call ${quote(id)}, which only an assistant can make`)
  if (open.has(id)) refuse(index, `has two tool calls with the id ${quote(id)}`)
  open.add(id)
}

function answerCall(id: CallId, { role, index, open }: Place): void {
  if (role !== 'user')
    refuse(index, `has the result of the tool call ${quote(id)}, which belongs in a user message`)
  if (!open.delete(id))
    refuse(index, `has a result for ${quote(id)}, but no tool call of that id waits for one`)
}

function requireAnswered(open: OpenCalls, index: number): void {
  for (const id of open) refuse(index, `goes on although the tool call ${quote(id)} has no result yet`)
}

function quote(id: string): string {
  return JSON.stringify(id.slice(0, 100))
}

function refuse(index: number, why: string): never {
  throw invalid(`messages[${index}] ${why}`)
}

function invalid(why: string): LlmError {
  return new LlmError(`The history cannot be sent: ${why}; repairHistory mends it`, 'INVALID_HISTORY')
}

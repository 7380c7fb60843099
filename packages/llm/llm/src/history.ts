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
  const start = roundStart(messages, known)
  for (const [offset, message] of messages.slice(start).entries()) {
    const fault = findFault(message, open)
    if (fault !== undefined) throw invalid(`messages[${start + offset}] ${fault}`)
  }
  const fault = findUnanswered('it ends', open)
  if (fault !== undefined) throw invalid(fault)
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

function findFault({ role, content }: Message, open: OpenCalls): string | undefined {
  if (role === 'assistant' && open.size > 0) return findUnanswered('goes on', open)
  for (const block of content) {
    const fault = findBlockFault(block, role, open)
    if (fault !== undefined) return fault
  }
  return undefined
}

/** What is wrong with a block at its place; a call it makes is open from then on, one it answers no longer. */
function findBlockFault(block: ContentBlock, role: Message['role'], open: OpenCalls): string | undefined {
  if (block.type === 'tool-call') {
    if (role !== 'assistant') return `has the tool call ${quote(block.id)}, which only an assistant can make`
    if (open.has(block.id)) return `has two tool calls with the id ${quote(block.id)}`
    open.add(block.id)
    return undefined
  }
  if (block.type === 'tool-result') {
    const id = block.toolCallId
    if (role !== 'user') return `has the result of the tool call ${quote(id)}, which belongs in a user message`
    return open.delete(id)
      ? undefined
      : `has a result for ${quote(id)}, but no tool call of that id waits for one`
  }
  return role === 'user' ? findUnanswered('goes on', open) : undefined
}

function findUnanswered(what: string, open: OpenCalls): string | undefined {
  for (const id of open) return `${what} although the tool call ${quote(id)} has no result yet`
  return undefined
}

function quote(id: string): string {
  return JSON.stringify(id.slice(0, 100))
}

function invalid(why: string): LlmError {
  return new LlmError(`The history cannot be sent: ${why}; repairHistory mends it`, 'INVALID_HISTORY')
}

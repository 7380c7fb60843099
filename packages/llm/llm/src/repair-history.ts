import type { ContentBlock, ToolCallBlock, ToolResultBlock } from './content.ts'
import { type CallId, MessageId } from './ids.ts'
import { createToolResultMessage, freezeMessage } from './message.ts'
import { stripReplayState } from './strip-replay-state.ts'
import type { Message } from './types.ts'

/**
 * A history that `checkHistory` accepts: calls without a result get an error result, and results without a call, results
 * that repeat or come too late, and calls that repeat are dropped, as are messages of which nothing is left. The very
 * same array when nothing is wrong; untouched messages keep their identity, and equal input gives equal ids.
 */
export function repairHistory(messages: readonly Message[]): readonly Message[] {
  const repair = new Repair()
  for (const message of messages) repair.take(message)
  const repaired = repair.end()
  const unchanged =
    repaired.length === messages.length && repaired.every((message, at) => message === messages[at])
  return unchanged ? messages : repaired
}

class Repair {
  readonly #repaired: Message[] = []
  /** Unanswered calls of the latest assistant message, each with the id that its error result would get. */
  readonly #open = new Map<CallId, MessageId>()

  take(message: Message): void {
    if (message.role === 'assistant') this.#takeAssistant(message)
    else if (message.role === 'user') this.#takeUser(message)
    else
      this.#keep(
        message,
        message.content.filter((block) => !isCall(block) && !isResult(block)),
      )
  }

  end(): readonly Message[] {
    this.#closeGaps(new Set())
    return Object.freeze(this.#repaired)
  }

  #takeAssistant(message: Message): void {
    this.#closeGaps(new Set())
    const content = message.content.filter(
      (block) => !isResult(block) && !(isCall(block) && !this.#openCall(message, block)),
    )
    this.#keep(message, content)
  }

  #takeUser(message: Message): void {
    const results = this.#firstResults(message)
    const answered = new Set(results.map((block) => block.toolCallId))
    const rest = message.content.filter((block) => !isResult(block) && !isCall(block))
    // Results may stand in any order, so those that are missing go before those that this message brings.
    if (rest.length > 0) this.#closeGaps(answered)
    for (const id of answered) this.#open.delete(id)
    this.#keep(message, [...results, ...rest])
  }

  /** The results of a message that answer a waiting call, one for each call. */
  #firstResults(message: Message): readonly ToolResultBlock[] {
    const results = message.content.filter(isResult)
    return results.filter(
      ({ toolCallId }, at) =>
        this.#open.has(toolCallId) && results.findIndex((other) => other.toolCallId === toolCallId) === at,
    )
  }

  #openCall(message: Message, call: ToolCallBlock): boolean {
    if (this.#open.has(call.id)) return false
    this.#open.set(call.id, MessageId(`${message.id}/unfinished/${call.id}`))
    return true
  }

  #closeGaps(except: ReadonlySet<CallId>): void {
    for (const [callId, id] of this.#open) {
      if (except.has(callId)) continue
      const content = 'The tool did not finish, so it gave no result'
      this.#repaired.push(createToolResultMessage({ callId, content, isError: true, id }))
      this.#open.delete(callId)
    }
  }

  #keep(message: Message, content: readonly ContentBlock[]): void {
    const unchanged =
      content.length === message.content.length && content.every((block, at) => block === message.content[at])
    if (unchanged) this.#repaired.push(message)
    // Replay state belongs to the blocks it came with.
    else if (content.length > 0) this.#repaired.push(freezeMessage({ ...stripReplayState(message), content }))
  }
}

function isCall(block: ContentBlock): block is ToolCallBlock {
  return block.type === 'tool-call'
}

function isResult(block: ContentBlock): block is ToolResultBlock {
  return block.type === 'tool-result'
}

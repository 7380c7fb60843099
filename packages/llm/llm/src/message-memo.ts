import { deepFreeze } from './deep-freeze.ts'
import { LlmError, type LlmErrorOptions } from './error.ts'
import { MessageLog } from './message-log.ts'
import { messageShape } from './message-shape.ts'
import { RequestMessages } from './request-messages.ts'
import type { Message } from './types.ts'
import { describeFault, type RuleFault } from './value-rules.ts'

/** Places before this are cheap to check anew, and a message that starts many conversations keeps none in memory. */
const FIRST_REMEMBERED = 8

/** Messages that are frozen and have the shape of one, each with the log it was last seen in. */
const accepted = new WeakMap<Message, MessageLog | undefined>()
/** Arrays that this module gave out, which a listener may pass on as they are. */
const givenOut = new WeakMap<readonly Message[], RequestMessages>()

/**
 * Freezes the messages in place, checks their shape, and gives them in a frozen array of their own. What the conversation
 * passed with is remembered, so an old message costs one pointer comparison (L10). The history is not checked yet.
 * Throws `INVALID_REQUEST`, or `INVALID_MESSAGE` naming the path.
 */
export function rememberMessages(messages: readonly Message[]): RequestMessages {
  const known = givenOut.get(messages)
  if (known !== undefined) return known
  if (!Array.isArray(messages)) throw new LlmError('The request has no array of messages', 'INVALID_REQUEST')
  const own: readonly Message[] = [...messages]
  const log = findLog(own) ?? new MessageLog()
  const same = log.countSame(own)
  for (let index = same; index < own.length; index += 1) accept(own[index], index)
  log.follow(own, same)
  for (const message of own.slice(Math.max(same, FIRST_REMEMBERED))) accepted.set(message, log)
  const remembered = new RequestMessages(Object.freeze(own), log, Math.min(same, log.validLength))
  givenOut.set(own, remembered)
  return remembered
}

/** The same for a request about to be dispatched: throws `INVALID_HISTORY` as well, naming the id of the call. */
export function checkedRequestMessages(messages: readonly Message[]): RequestMessages {
  const remembered = rememberMessages(messages)
  remembered.checkHistory()
  return remembered
}

/** The log of the last message that is in one; new messages stand at the end, so it is found after a step or two. */
function findLog(messages: readonly Message[]): MessageLog | undefined {
  for (let index = messages.length - 1; index >= FIRST_REMEMBERED; index -= 1) {
    const message = messages[index]
    const log = message === undefined ? undefined : accepted.get(message)
    if (log !== undefined) return log
  }
  return undefined
}

function accept(message: Message | undefined, index: number): void {
  if (message !== undefined && accepted.has(message)) return
  const fault = freezeAndCheck(message, `messages[${index}]`)
  if (fault !== undefined) throw unusable(describeFault(fault))
  if (message !== undefined) accepted.set(message, undefined)
}

function freezeAndCheck(message: unknown, path: string): RuleFault | undefined {
  try {
    return messageShape(deepFreeze(message), path)
  } catch (cause) {
    throw unusable(`${path} cannot be read`, { cause })
  }
}

function unusable(why: string, options?: LlmErrorOptions): LlmError {
  return new LlmError(`Could not send the request: ${why}`, 'INVALID_MESSAGE', options)
}

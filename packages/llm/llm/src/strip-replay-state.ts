import { markFrozen } from './deep-freeze.ts'
import type { Message } from './types.ts'

/** Copies are remembered, so that what encoders remember about a message stays warm from call to call. */
const copies = new WeakMap<Message, Message>()

/** The message without the replay state of its source: always the same frozen copy, or itself if there is none. */
export function stripReplayState(message: Message): Message {
  const { source } = message
  if (source.kind !== 'model' || source.replayState === undefined) return message
  const known = copies.get(message)
  if (known !== undefined) return known
  const { provider, model } = source
  const copy = Object.freeze({
    ...message,
    source: Object.freeze({ kind: 'model', provider, model }),
  }) satisfies Message
  copies.set(message, markFrozen(copy))
  return copy
}

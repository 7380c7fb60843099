import type { Message } from 'dsh-llm'
import type { EncodingProfile } from './encoding-profile.ts'
import { type ConversationStep, serializeStep } from './serialize-conversation.ts'
import type { WireMessage } from './wire-request.ts'

/** Text in UTF-8, on memory of its own kind, as a request body must be. */
export type Bytes = Uint8Array<ArrayBuffer>

/** Encodings of messages; they live as long as their message, which is frozen from birth and can never make them stale. */
export type KeptMessages = WeakMap<Message, Bytes>

const utf8 = new TextEncoder()

/** One step as JSON text in UTF-8, kept for the next request unless an id, a name or a neighbour changed its form. */
export function encodeStep(step: ConversationStep, profile: EncodingProfile, kept: KeptMessages): Bytes {
  const { message, place, joined } = step
  if (place.callIds !== undefined || place.toolNames !== undefined || joined.length > 0) {
    return encodeWires(serializeStep(step, profile))
  }
  const known = kept.get(message)
  if (known !== undefined) return known
  const bytes = encodeWires(serializeStep(step, profile))
  if (Object.isFrozen(message)) kept.set(message, bytes)
  return bytes
}

/** Each message with a comma in front, so that pieces can be put one behind the other. */
export function encodeWires(wires: readonly WireMessage[]): Bytes {
  return utf8.encode(wires.map((wire) => `,${JSON.stringify(wire)}`).join(''))
}

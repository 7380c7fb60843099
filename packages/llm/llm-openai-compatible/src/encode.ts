import type { GenerateOptions } from 'dsh-llm'
import type { Dialect } from './dialect.ts'
import { type Bytes, encodeStep, encodeWires, type KeptMessages } from './encode-message.ts'
import { type EncodedRun, findStart, keepRun, type KeptRuns, type RunStart } from './encode-run.ts'
import type { EncodingProfile } from './encoding-profile.ts'
import { planRequest, type RequestPlan } from './serialize.ts'
import {
  type Conversation,
  type ConversationStep,
  planConversation,
  serializeStep,
} from './serialize-conversation.ts'

/** A body ready to be posted, and what reading its answer takes. */
export interface EncodedRequest {
  /**
   * Exactly the UTF-8 form of `JSON.stringify(serialize(request, dialect))`, made from kept encodings of old messages.
   * Later requests copy from it, so it must not be changed.
   */
  readonly body: Bytes
  /** Every call id of the request, as the history and as the wire has it: a new call may use none of them. */
  readonly callIds: ReadonlySet<string>
  /** The caller's name of a tool, from the wire's; any other name comes back as it is. */
  readonly toOriginalToolName: (wireName: string) => string
}

/**
 * Writes a request. Fails as `serialize` does. What an earlier request with the same beginning wrote is copied in one
 * piece, other messages written before are copied one by one, and only new ones are serialised.
 */
export function encodeRequest(request: GenerateOptions, dialect: Dialect): EncodedRequest {
  const plan = planRequest(request, dialect)
  const kept = keptUnder(plan.profile)
  const runs: KeptRuns = isShareable(plan) ? kept.runs : new WeakMap()
  const start = findStart(request.messages, runs)
  const conversation = planConversation(request, plan, start)
  const pieces = encodeSteps(conversation.steps, plan, kept.messages)
  const { body, bytes } = join({
    opening: encodeOpening(plan),
    lead: encodeWires(conversation.lead),
    messages: start === undefined ? pieces : [comma, start.bytes, ...pieces],
    tail: encodeTail(plan),
  })
  keepRun(toRun(request, conversation, { bytes, start, pieces }), start, runs)
  return { body, callIds: conversation.callIds, toOriginalToolName: plan.names.toOriginal }
}

const utf8 = new TextEncoder()
const comma: Bytes = utf8.encode(',')

interface KeptEncodings {
  readonly messages: KeptMessages
  readonly runs: KeptRuns
}

const encodings = new WeakMap<EncodingProfile, KeptEncodings>()

/** Everything kept under one profile. */
export function keptUnder(profile: EncodingProfile): KeptEncodings {
  const known = encodings.get(profile) ?? { messages: new WeakMap(), runs: new WeakMap() }
  encodings.set(profile, known)
  return known
}

/** What holds for a single request only must stay out of the runs of others. */
function isShareable({ names, continuation }: RequestPlan): boolean {
  return names.exceptions.size === 0 && continuation === undefined
}

/** The messages of a body: those copied in one piece, and the rest one by one. */
interface WrittenMessages {
  readonly bytes: Bytes
  readonly start: RunStart | undefined
  readonly pieces: readonly Bytes[]
}

function toRun(
  { messages }: GenerateOptions,
  conversation: Conversation,
  { bytes, start, pieces }: WrittenMessages,
): EncodedRun {
  // The very first comma is not part of a run.
  const ends = [start?.bytes.length ?? -1]
  for (const piece of pieces) ends.push((ends.at(-1) ?? 0) + piece.length)
  const marks = [...(start?.marks ?? [])]
  for (const { steps, ...mark } of conversation.marks) {
    const end = ends[steps] ?? 0
    // With nothing before it, what follows would have no comma of its own.
    if (end > 0) marks.push({ ...mark, bytes: end })
  }
  const { calls } = conversation
  return { messages: Object.isFrozen(messages) ? messages : [...messages], bytes, calls, marks }
}

/** Ends inside the list of messages. */
function encodeOpening({ model }: RequestPlan): Bytes {
  return utf8.encode(`{"model":${JSON.stringify(model)},"messages":[`)
}

function encodeSteps(
  steps: readonly ConversationStep[],
  plan: RequestPlan,
  kept: KeptMessages,
): readonly Bytes[] {
  const { profile, continuation } = plan
  const pieces = steps.map((step) => encodeStep(step, profile, kept))
  const last = steps.at(-1)
  if (continuation !== undefined && last !== undefined) {
    const wires = serializeStep(last, profile)
    pieces[pieces.length - 1] = encodeWires(wires.map((wire) => ({ ...wire, ...continuation })))
  }
  return pieces
}

/** `fields` is never empty: `stream` is always there. */
function encodeTail({ fields }: RequestPlan): Bytes {
  return utf8.encode(`],${JSON.stringify(fields).slice(1)}`)
}

interface BodyParts {
  readonly opening: Bytes
  readonly lead: Bytes
  readonly messages: readonly Bytes[]
  readonly tail: Bytes
}

/** One allocation and one copy of everything. `bytes` is the part of the body that holds `messages`. */
function join({ opening, lead, messages, tail }: BodyParts): { readonly body: Bytes; readonly bytes: Bytes } {
  let length = lead.length
  for (const piece of messages) length += piece.length
  const overlap = length > 0 ? 1 : 0
  const body = new Uint8Array(opening.length + length + tail.length - overlap)
  let at = opening.length - overlap
  body.set(lead, at)
  at += lead.length
  const start = at + overlap
  for (const piece of messages) {
    body.set(piece, at)
    at += piece.length
  }
  // Written after what follows it, the opening covers the first comma with its own last byte.
  body.set(opening)
  body.set(tail, at)
  return { body, bytes: body.subarray(start, Math.max(start, at)) }
}

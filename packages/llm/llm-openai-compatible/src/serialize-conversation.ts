import type { GenerateOptions, Message } from 'dsh-llm'
import { CallIdPlanner, type OpenedCall } from './call-ids.ts'
import type { EncodingProfile } from './encoding-profile.ts'
import { type MessageFacts, messageFacts } from './message-facts.ts'
import type { MessagePlace } from './message-place.ts'
import { joinTexts, serializeMessage } from './serialize-message.ts'
import type { ToolNames } from './tool-names.ts'
import { wellFormed } from './well-formed.ts'
import type { WireMessage, WireTextMessage } from './wire-request.ts'

/** One message on its way out. */
export interface ConversationStep {
  readonly message: Message
  readonly facts: MessageFacts
  readonly place: MessagePlace
  /** User turns that follow and become one wire message with this one. */
  readonly joined: readonly ConversationStep[]
}

/** The messages of a request in wire order, before any is written. */
export interface Conversation {
  /** Instructions that stand before everything else. */
  readonly lead: readonly WireTextMessage[]
  readonly steps: readonly ConversationStep[]
  /** Every call id of the request, as the history and as the wire has it. */
  readonly callIds: ReadonlySet<string>
  /** All calls of the request, in order. */
  readonly calls: readonly OpenedCall[]
  /** The points within `steps` behind which nothing can change what stands before them. */
  readonly marks: readonly ConversationMark[]
}

/** How much of a request stands before a point of it. */
export interface ConversationMark {
  readonly messages: number
  readonly calls: number
  readonly steps: number
}

/** The beginning of a request that was written before, up to a mark. */
export interface WrittenStart {
  /** How many messages it covers, more than the leading system messages. */
  readonly count: number
  readonly calls: readonly OpenedCall[]
}

/** What decides the form of messages, beside the messages. */
export interface ConversationRules {
  readonly profile: EncodingProfile
  readonly names: ToolNames
}

/**
 * Decides order, ids and merges of a request's messages, left to right and never looking ahead, so that appended turns
 * leave all earlier wire messages as they were and the provider's prefix cache keeps hitting. `steps` and `marks` are
 * about the messages behind `start` only, which must have ended at a mark.
 */
export function planConversation(
  request: GenerateOptions,
  { profile, names }: ConversationRules,
  start?: WrittenStart,
): Conversation {
  const { messages } = request
  const leading = profile.rules.laterSystemRole === 'user' ? countLeadingSystem(messages) : 0
  const planner = new ConversationPlanner(profile, names, start?.calls)
  for (let index = start?.count ?? leading; index < messages.length; index += 1) {
    const message = messages[index]
    if (message !== undefined) planner.add(message, index)
  }
  return { lead: planLead(request, profile, leading), ...planner.end() }
}

/** The wire messages of one step: those of its message, with the text of joined turns behind. */
export function serializeStep(step: ConversationStep, profile: EncodingProfile): readonly WireMessage[] {
  const wires = serializeMessage(step.message, profile, step.place)
  const last = wires.at(-1)
  if (step.joined.length === 0 || last === undefined) return wires
  const texts = step.joined.flatMap((next) => serializeStep(next, profile).map(({ content }) => content))
  return [...wires.slice(0, -1), { ...last, content: [last.content, ...texts].join('\n\n') }]
}

function countLeadingSystem(messages: readonly Message[]): number {
  const end = messages.findIndex(({ role }) => role !== 'system')
  return end === -1 ? messages.length : end
}

function planLead(
  { system, messages }: GenerateOptions,
  { rules }: EncodingProfile,
  leading: number,
): readonly WireTextMessage[] {
  const texts = messages.slice(0, leading).map((message, index) => joinTexts(message, { index }))
  const all = [wellFormed(system ?? ''), ...texts].filter((text) => text !== '')
  return all.length === 0 ? [] : [{ role: rules.systemRole, content: all.join('\n\n') }]
}

class ConversationPlanner {
  readonly #ids: CallIdPlanner
  readonly #profile: EncodingProfile
  readonly #names: ToolNames
  readonly #steps: ConversationStep[] = []
  /** System messages that came between a call and its result, where the wire allows none. */
  readonly #held: ConversationStep[] = []
  readonly #marks: ConversationMark[] = []
  #unanswered = 0

  constructor(profile: EncodingProfile, names: ToolNames, earlier?: readonly OpenedCall[]) {
    this.#ids = new CallIdPlanner(profile.rules.callIds, earlier)
    this.#profile = profile
    this.#names = names
  }

  add(message: Message, index: number): void {
    const facts = messageFacts(message)
    const step = { message, facts, place: this.#placeOf(facts, index), joined: none }
    if (message.role === 'system' && this.#unanswered > 0) this.#held.push(step)
    else this.#place(step)
    if (this.#isSettled()) this.#mark(index + 1)
  }

  end(): Omit<Conversation, 'lead'> {
    this.#release()
    const { known, opened } = this.#ids
    return { steps: this.#steps, callIds: known, calls: opened, marks: this.#marks }
  }

  #mark(messages: number): void {
    this.#marks.push({ messages, calls: this.#ids.opened.length, steps: this.#steps.length })
  }

  /** A result may only be followed by other results until all calls are answered. */
  #place(step: ConversationStep): void {
    const { openedIds, answeredIds } = step.facts
    if (answeredIds.length === 0) this.#release()
    this.#unanswered = Math.max(0, this.#unanswered + openedIds.length - answeredIds.length)
    this.#append(step)
    if (this.#unanswered === 0) this.#release()
  }

  #isSettled(): boolean {
    return this.#unanswered === 0 && !(this.#profile.rules.joinsUserTurns && this.#endsWithText())
  }

  #endsWithText(): boolean {
    return this.#steps.at(-1)?.facts.endsWithText === true
  }

  #placeOf(facts: MessageFacts, index: number): MessagePlace {
    const callIds = this.#renamedIds(facts)
    const { exceptions } = this.#names
    const toolNames = exceptions.size > 0 && facts.openedIds.length > 0 ? exceptions : undefined
    return { index, callIds, toolNames }
  }

  /** Made only for the few messages that need one; all others are written from what was kept. */
  #renamedIds({ openedIds, answeredIds }: MessageFacts): ReadonlyMap<string, string> | undefined {
    let renamed: Map<string, string> | undefined
    for (const id of openedIds) {
      const wireId = this.#ids.open(id)
      if (wireId !== id) renamed = (renamed ?? new Map<string, string>()).set(id, wireId)
    }
    for (const id of answeredIds) {
      const wireId = this.#ids.answer(id)
      if (wireId !== id) renamed = (renamed ?? new Map<string, string>()).set(id, wireId)
    }
    return renamed
  }

  /** Joins neighbours where the server wants user and assistant in turn. */
  #append(step: ConversationStep): void {
    const last = this.#steps.at(-1)
    const joins = this.#profile.rules.joinsUserTurns && this.#endsWithText() && isUserText(step)
    if (joins && last !== undefined)
      this.#steps[this.#steps.length - 1] = { ...last, joined: [...last.joined, step] }
    else this.#steps.push(step)
  }

  #release(): void {
    for (const step of this.#held) this.#append(step)
    this.#held.length = 0
  }
}

const none: readonly ConversationStep[] = Object.freeze([])

/** A system message counts, since servers that want alternation get it as a user's. */
function isUserText({ message, facts }: ConversationStep): boolean {
  return facts.endsWithText && facts.answeredIds.length === 0 && message.role !== 'assistant'
}

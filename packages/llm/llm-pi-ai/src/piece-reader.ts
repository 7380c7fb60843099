import { type ChunkWriter, isJsonText, type StreamChunk, parseExactly } from 'dsh-llm'
import { CallIdPool } from 'dsh-llm-openai-compatible'
import { recordsOf } from './payload.ts'
import type { PiEvent, PiMessage, PiToolCall } from './pi-api.ts'
import { splitCallId } from './replay-state.ts'
import type { WireFacts } from './wire-facts.ts'

/** An event with a place in pi-ai's message. */
type PieceEvent = Exclude<PiEvent, { type: 'start' | 'done' | 'error' }>
type ProseKind = 'text' | 'reasoning'

/** What a reader of pieces works with. */
export interface PieceReaderOptions {
  readonly toolName: (wireName: string) => string
  readonly usedCallIds: ReadonlySet<string>
  /** Knows what pi-ai does not pass on of blocks and calls. */
  readonly facts: WireFacts
  /** Whether pi-ai parts pieces of thinking by a break that no text ends with. */
  readonly partsThinking: boolean
}

/**
 * Writes the pieces of an answer and remembers from which block of pi-ai's each of ours came. pi-ai's message is looked
 * at late, when it has grown already, so only what never changes is read from it: ids, names, what is redacted.
 */
export class PieceReader {
  /** By our index; a block of pi-ai's that went on behind another one has several of ours. */
  readonly owners: number[] = []
  readonly #writer: ChunkWriter
  readonly #options: PieceReaderOptions
  /** What was written of each, arguments too. */
  readonly #texts = new Map<number, string>()
  /** Breaks that belong to a text only if more of it comes. */
  readonly #held = new Map<number, string>()
  /** Texts of which some piece was no string. */
  readonly #inParts = new Set<number>()
  /** The whole input with which a call began, where there was one. */
  readonly #inputs = new Map<number, string>()
  /** The ids of this answer's calls, and by which block each has it. */
  readonly #ids = new Map<number, string>()
  readonly #pool: CallIdPool
  /** The block of pi-ai whose text is being written. */
  #current: number | undefined

  constructor(writer: ChunkWriter, options: PieceReaderOptions) {
    this.#writer = writer
    this.#options = options
    this.#pool = new CallIdPool(options.usedCallIds)
  }

  read(event: PiEvent, into: StreamChunk[]): void {
    if (event.type === 'start' || event.type === 'done' || event.type === 'error') return
    const from = into.length
    this.#readPiece(event, into)
    for (const chunk of into.slice(from))
      if (chunk.type === 'block-start') this.owners[chunk.index] = event.contentIndex
  }

  #readPiece(event: PieceEvent, into: StreamChunk[]): void {
    const { contentIndex: at } = event
    switch (event.type) {
      case 'text_start':
        return this.#put(at, { kind: 'text', text: this.#options.facts.takeHead() }, into)
      case 'thinking_start':
        return this.#put(at, { kind: 'reasoning', text: this.#options.facts.takeHead() }, into)
      case 'text_delta':
        return this.#put(at, { kind: 'text', text: this.#toProse(at, event.delta) }, into)
      case 'thinking_delta':
        return this.#writeThinking(at, this.#toProse(at, event.delta), into)
      case 'text_end':
        return this.#endProse(at, { kind: 'text', text: event.content }, into)
      case 'thinking_end':
        return this.#endProse(at, { kind: 'reasoning', text: readable(event.partial, at, event.content) }, into)
      case 'toolcall_start':
        return this.#beginCall(at, event.partial, into)
      case 'toolcall_delta':
        return this.#writeCall(
          at,
          { call: event.partial.content[at], text: this.#toArguments(event.delta) },
          into,
        )
      case 'toolcall_end':
        return this.#endCall(at, event.toolCall, into)
    }
  }

  #writeThinking(at: number, text: string, into: StreamChunk[]): void {
    const held = this.#held.get(at) ?? ''
    if (this.#options.partsThinking && text === '\n\n') this.#held.set(at, held + text)
    else this.#put(at, { kind: 'reasoning', text: held + text }, into)
  }

  #put(at: number, { kind, text }: Prose, into: StreamChunk[]): void {
    if (text === '') return
    if (this.#current !== at) into.push(...this.#writer.endProse())
    this.#held.delete(at)
    this.#current = at
    this.#texts.set(at, this.#textOf(at) + text)
    into.push(...(kind === 'text' ? this.#writer.text(text) : this.#writer.reasoning(text)))
  }

  /** Text as servers send it: mostly a string, sometimes a list of parts, of which pi-ai's own whole is no text. */
  #toProse(at: number, text: unknown): string {
    if (typeof text === 'string') return text
    this.#inParts.add(at)
    const parts = recordsOf(text)
    if (parts.some((part) => typeof part['text'] !== 'string'))
      this.#options.facts.fault ??= 'a text has parts that are none'
    return parts.map((part) => (typeof part['text'] === 'string' ? part['text'] : '')).join('')
  }

  #textOf(at: number): string {
    return this.#texts.get(at) ?? ''
  }

  /** Writes what the whole text has beyond what came in pieces; pi-ai may have another idea of the whole. */
  #endProse(at: number, { kind, text }: Prose, into: StreamChunk[]): void {
    const written = this.#textOf(at)
    if (!this.#inParts.has(at) && text.startsWith(written))
      this.#put(at, { kind, text: text.slice(written.length) }, into)
    if (this.#current !== at) return
    this.#current = undefined
    into.push(...this.#writer.endProse())
  }

  #beginCall(at: number, { content }: PiMessage, into: StreamChunk[]): void {
    const call = content[at]
    const input = this.#options.facts.takeInput()
    if (input !== '') this.#inputs.set(at, input)
    this.#writeCall(at, { call, text: this.#factsOf(call)?.head ?? '' }, into)
  }

  #writeCall(at: number, { call, text }: CallPiece, into: StreamChunk[]): void {
    if (call?.type !== 'toolCall') return
    this.#current = undefined
    this.#texts.set(at, this.#textOf(at) + text)
    const name = typeof call.name === 'string' && call.name !== '' ? this.#options.toolName(call.name) : ''
    into.push(...this.#writer.toolCall(at, { id: this.#idOf(at, call.id), name, arguments: text }))
  }

  /** Only a call whose text is complete may be run, whatever pi-ai made of it (R4). */
  #endCall(at: number, call: PiToolCall, into: StreamChunk[]): void {
    this.#writeCall(at, { call, text: this.#missingText(at, call) }, into)
    const text = this.#textOf(at)
    if (text.trim() === '' || isJsonText(text)) into.push(...this.#writer.endToolCall(at))
  }

  /** What the wire, or else pi-ai, has of the arguments beyond the pieces. Text that contradicts them is a fault. */
  #missingText(at: number, call: PiToolCall): string {
    const text = this.#textOf(at)
    const whole = this.#factsOf(call)?.whole ?? this.#inputs.get(at)
    if (whole !== undefined) {
      if (whole.startsWith(text)) return whole.slice(text.length)
      if (isSameJson(whole, text)) return ''
      this.#options.facts.fault ??= 'the arguments of a tool call are told in two ways'
      return ''
    }
    return text === '' && Object.keys(call.arguments).length > 0 ? JSON.stringify(call.arguments) : ''
  }

  #factsOf(call: PiMessage['content'][number] | undefined) {
    return call?.type === 'toolCall' ? this.#options.facts.calls.get(splitCallId(call.id)[0]) : undefined
  }

  /** Some servers send arguments as an object, which pi-ai passes on as it is. */
  #toArguments(delta: unknown): string {
    if (delta === undefined || delta === null) return ''
    return this.#options.facts.takeCallText(typeof delta === 'string' ? delta : JSON.stringify(delta))
  }

  /** An id that repeats one of the request, or of this answer, gets a suffix at once (agreed answer 3). */
  #idOf(at: number, piId: unknown): string {
    const known = this.#ids.get(at)
    const [wanted] = splitCallId(piId)
    if (known !== undefined || wanted === '') return known ?? ''
    const id = this.#pool.take(wanted)
    this.#ids.set(at, id)
    return id
  }
}

interface Prose {
  readonly kind: ProseKind
  readonly text: string
}

interface CallPiece {
  readonly call: PiMessage['content'][number] | undefined
  readonly text: string
}

/** What pi-ai puts in the place of thinking that nobody may read is its own word, and none of the model. */
function readable(partial: PiMessage, at: number, text: string): string {
  const block = partial.content[at]
  return block?.type === 'thinking' && block.redacted === true ? '' : text
}

function isSameJson(left: string, right: string): boolean {
  return isJsonText(right) && JSON.stringify(parseExactly(left)) === JSON.stringify(parseExactly(right))
}

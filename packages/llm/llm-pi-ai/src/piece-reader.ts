import type { ChunkWriter, StreamChunk } from 'dsh-llm'
import type { PiEvent, PiMessage } from './pi-api.ts'
import { splitCallId } from './replay-state.ts'
import type { WireFacts } from './wire-facts.ts'

/** An event with a place in pi-ai's message. */
type PieceEvent = Exclude<PiEvent, { type: 'start' | 'done' | 'error' }>
type ProseKind = 'text' | 'reasoning'

/** What a reader of pieces works with. */
export interface PieceReaderOptions {
  readonly toolName: (wireName: string) => string
  readonly usedCallIds: ReadonlySet<string>
  /** Knows the texts with which blocks began, and those of arguments that came as objects. */
  readonly facts: WireFacts
}

/** Writes the pieces of an answer and remembers from which block of pi-ai's each of ours came. */
export class PieceReader {
  /** By our index; a block of pi-ai's that went on behind another one has several of ours. */
  readonly owners: number[] = []
  readonly #writer: ChunkWriter
  readonly #options: PieceReaderOptions
  /** How many units of each text were written. */
  readonly #written = new Map<number, number>()
  /** The ids of this answer's calls, and by which block each has it. */
  readonly #ids = new Map<number, string>()
  readonly #taken = new Set<string>()
  /** The block of pi-ai whose text is being written. */
  #current: number | undefined
  /** A break that belongs to a text only if more of it comes. */
  #held = ''

  constructor(writer: ChunkWriter, options: PieceReaderOptions) {
    this.#writer = writer
    this.#options = options
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
        return this.#write(at, { kind: 'text', text: event.delta }, into)
      case 'thinking_delta':
        return this.#write(at, { kind: 'reasoning', text: event.delta }, into)
      case 'text_end':
        return this.#endProse(at, { kind: 'text', text: event.content }, into)
      case 'thinking_end':
        return this.#endProse(at, { kind: 'reasoning', text: readable(event.partial, at, event.content) }, into)
      case 'toolcall_start':
      case 'toolcall_delta':
        return this.#writeCall(event, into)
      case 'toolcall_end':
        return this.#endCall(event, into)
    }
  }

  #write(at: number, { kind, text }: Prose, into: StreamChunk[]): void {
    // pi-ai parts summaries by a break, with which the text as a whole does not end.
    if (kind === 'reasoning' && text === '\n\n') this.#held += text
    else this.#put(at, { kind, text: this.#current === at ? this.#held + text : text }, into)
  }

  #put(at: number, { kind, text }: Prose, into: StreamChunk[]): void {
    if (text === '') return
    if (this.#current !== at) into.push(...this.#writer.endProse())
    this.#held = ''
    this.#current = at
    this.#written.set(at, (this.#written.get(at) ?? 0) + text.length)
    into.push(...(kind === 'text' ? this.#writer.text(text) : this.#writer.reasoning(text)))
  }

  /** What the whole text has beyond what came in pieces. */
  #writeRest(at: number, { kind, text }: Prose, into: StreamChunk[]): void {
    this.#put(at, { kind, text: text.slice(this.#written.get(at) ?? 0) }, into)
  }

  #endProse(at: number, prose: Prose, into: StreamChunk[]): void {
    this.#writeRest(at, prose, into)
    if (this.#current !== at) return
    this.#current = undefined
    this.#held = ''
    into.push(...this.#writer.endProse())
  }

  #writeCall(
    event: Extract<PieceEvent, { type: 'toolcall_start' | 'toolcall_delta' }>,
    into: StreamChunk[],
  ): void {
    const { contentIndex: at, partial } = event
    const call = partial.content[at]
    if (call?.type !== 'toolCall') return
    const text =
      event.type === 'toolcall_delta' ? (this.#options.facts.takeCallText() ?? toText(event.delta)) : ''
    this.#current = undefined
    this.#written.set(at, (this.#written.get(at) ?? 0) + text.length)
    const name = call.name === '' ? '' : this.#options.toolName(call.name)
    into.push(...this.#writer.toolCall(at, { id: this.#idOf(at, call.id), name, arguments: text }))
  }

  /** A call whose arguments are no JSON stays open, since only a closed one may be run (R4). */
  #endCall(event: Extract<PieceEvent, { type: 'toolcall_end' }>, into: StreamChunk[]): void {
    const { contentIndex: at, toolCall } = event
    if ((this.#written.get(at) ?? 0) === 0 && Object.keys(toolCall.arguments).length > 0)
      this.#writeCall({ ...event, type: 'toolcall_delta', delta: JSON.stringify(toolCall.arguments) }, into)
    // A wire may tell id and name only by now.
    else this.#writeCall({ ...event, type: 'toolcall_start' }, into)
    if (toolCall.argumentsError === undefined) into.push(...this.#writer.endToolCall(at))
  }

  /** An id that repeats one of the request, or of this answer, gets a suffix at once (agreed answer 3). */
  #idOf(at: number, piId: string): string {
    const known = this.#ids.get(at)
    if (known !== undefined || piId === '') return known ?? ''
    const [wanted] = splitCallId(piId)
    let id = wanted
    for (let copy = 2; this.#isTaken(id); copy += 1) id = `${wanted}-${copy}`
    this.#ids.set(at, id)
    this.#taken.add(id)
    return id
  }

  #isTaken(id: string): boolean {
    return this.#taken.has(id) || this.#options.usedCallIds.has(id)
  }
}

interface Prose {
  readonly kind: ProseKind
  readonly text: string
}

/** What pi-ai puts in the place of thinking that nobody may read is its own word, and none of the model. */
function readable(partial: PiMessage, at: number, text: string): string {
  const block = partial.content[at]
  return block?.type === 'thinking' && block.redacted === true ? '' : text
}

/** Some servers send arguments as an object, which pi-ai passes on as it is. */
function toText(delta: unknown): string {
  if (typeof delta === 'string') return delta
  return delta === undefined || delta === null ? '' : JSON.stringify(delta)
}

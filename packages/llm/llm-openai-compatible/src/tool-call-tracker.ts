import type { ChunkWriter, StreamChunk } from 'dsh-llm'
import { CallIdPool } from './call-id-pool.ts'
import { type CallPiece, CallIdentity, readCallPiece, type WireCall } from './call-identity.ts'
import { holdsRepeatedObject } from './repeated-object.ts'
import type { BlockReplayState } from './replay-state.ts'

/** What the ids and names of calls are measured against. */
export interface ToolCallTrackerOptions {
  /** Ids of the calls in the request, which no call of the answer may have. */
  readonly usedCallIds?: ReadonlySet<string> | undefined
  /** The caller's name of a tool whose name was changed for the wire. */
  readonly toolName?: ((wireName: string) => string) | undefined
}

/**
 * Feeds the pieces of tool calls to a chunk writer. The head of a call waits for its first argument text, or for
 * anything after it, since a name may come in pieces and a first `{}` may be a placeholder (agreed answers 3 and 4).
 */
export class ToolCallTracker {
  readonly #writer: ChunkWriter
  readonly #options: ToolCallTrackerOptions
  readonly #identity: CallIdentity = new CallIdentity()
  readonly #calls: WireCall[] = []
  readonly #ids: CallIdPool
  #waiting: WireCall | undefined

  constructor(writer: ChunkWriter, options: ToolCallTrackerOptions) {
    this.#writer = writer
    this.#options = options
    this.#ids = new CallIdPool(options.usedCallIds)
  }

  /** Reads the `tool_calls` of one delta. */
  add(entries: readonly unknown[], out: StreamChunk[]): void {
    for (let position = 0; position < entries.length; position += 1) {
      const piece = readCallPiece(entries[position])
      if (piece !== undefined) this.#addPiece(this.#callOf(piece, position, out), piece, out)
    }
  }

  /** Reads a delta with one entry that has only a wire index and argument text. */
  addArguments(index: number, text: string, out: StreamChunk[]): void {
    const piece = { index, id: undefined, name: undefined, arguments: text, extraContent: undefined }
    this.#addPiece(this.#callOf(piece, 0, out), piece, out)
  }

  /** Writes the head that waits, if there is one: something else begins, or the answer ends. */
  settle(out: StreamChunk[]): void {
    const call = this.#waiting
    this.#waiting = undefined
    if (call !== undefined && call.name !== '') this.#releasePlaceholder(call, out)
  }

  /**
   * Closes the calls that are still open. Gives the name of one whose text is several objects in a row; it stays open,
   * since none of them may be run in place of the others.
   */
  close(out: StreamChunk[]): string | undefined {
    this.settle(out)
    for (const call of this.#calls) {
      if (call.placeholder !== '') this.#releasePlaceholder(call, out)
      // The writer makes a failure of a call that has no name.
      if (!call.told && call.wireId !== undefined) this.#writer.toolCall(call.key, { id: call.wireId })
      const chunks = this.#writer.endToolCall(call.key)
      if (chunks.some(isRepeated)) return call.name
      for (const chunk of chunks) out.push(chunk)
    }
    return undefined
  }

  /** What must travel back with the calls, by block index. */
  replayBlocks(): readonly (BlockReplayState | undefined)[] {
    const blocks: (BlockReplayState | undefined)[] = []
    for (const { blockIndex, extraContent } of this.#calls) {
      if (blockIndex < 0 || extraContent === undefined) continue
      while (blocks.length <= blockIndex) blocks.push(undefined)
      blocks[blockIndex] = { extraContent }
    }
    return blocks
  }

  /** The call of a piece; the head of a new one waits, and pushes out the one that waited before it. */
  #callOf(piece: CallPiece, position: number, out: StreamChunk[]): WireCall {
    const call = this.#identity.find(piece, position)
    if (call.key < this.#calls.length) return call
    this.settle(out)
    this.#calls.push(call)
    this.#waiting = call
    return call
  }

  #addPiece(call: WireCall, piece: CallPiece, out: StreamChunk[]): void {
    if (!call.isFinal) addHead(call, piece)
    if (piece.extraContent !== undefined) call.extraContent = piece.extraContent
    const text = call.isFinal ? piece.arguments : releaseHead(call, piece.arguments)
    // Text that came before the name waits in the writer, so a late name must be told even without text.
    const isLateName = call.told && !call.isFinal && call.name !== ''
    if (text === '' && !isLateName) return
    call.endsLikeObject = endsLikeObject(text)
    if (this.#waiting === call) this.#waiting = undefined
    this.#write(call, text, out)
  }

  /** What was held back is no placeholder after all, or there was nothing. */
  #releasePlaceholder(call: WireCall, out: StreamChunk[]): void {
    const text = call.placeholder
    call.placeholder = ''
    call.endsLikeObject = text !== ''
    this.#write(call, text, out)
  }

  /** The block may open only now; its index is noted for the replay state. */
  #write(call: WireCall, text: string, out: StreamChunk[]): void {
    call.told = true
    const chunks = call.isFinal
      ? this.#writer.toolCall(call.key, { arguments: text })
      : this.#writer.toolCall(call.key, { ...this.#headOf(call), arguments: text })
    for (const chunk of chunks) {
      if (chunk.type === 'block-start') call.blockIndex = chunk.index
      out.push(chunk)
    }
  }

  /** Id, the wire's or a made-up one, and name as the caller sees them; nothing while the name is unknown, for then the writer keeps the text. */
  #headOf(call: WireCall): { readonly id?: string; readonly name?: string } {
    if (call.name === '') return {}
    const id = this.#ids.take(call.wireId ?? `call_${call.key}`)
    return { id, name: this.#options.toolName?.(call.name) ?? call.name }
  }
}

/** A repeat of the name is ignored, any other piece continues it (agreed answer 3). */
function addHead(call: WireCall, piece: CallPiece): void {
  call.wireId ??= piece.id
  if (piece.name !== undefined && piece.name !== call.name) call.name += piece.name
}

/** The argument text with which a call begins; blank while what came may be a placeholder. */
function releaseHead(call: WireCall, text: string): string {
  const replaced = call.placeholder !== '' && text.trimStart().startsWith('{')
  const whole = replaced ? text : call.placeholder + text
  call.placeholder = whole.trim() === '{}' ? whole : ''
  return call.placeholder === '' ? whole : ''
}

/** A cheap stand-in for parsing: only a text that ends so can be one whole object. */
function endsLikeObject(text: string): boolean {
  return text.charCodeAt(text.length - 1) > SPACE ? text.endsWith('}') : text.trimEnd().endsWith('}')
}

function isRepeated(chunk: StreamChunk): boolean {
  return (
    chunk.type === 'block-end' && chunk.block.type === 'tool-call' && holdsRepeatedObject(chunk.block.arguments)
  )
}

const SPACE = 0x20

import type { CallId } from './ids.ts'
import { mintCallId } from './mint-id.ts'
import { LlmError } from './error.ts'
import { createFailure } from './failure-facts.ts'
import { GrowingText } from './growing-text.ts'
import { OpenCall } from './open-call.ts'
import { endsInsideCharacter } from './surrogate.ts'
import type { FinishChunk, FinishReason, StreamChunk, TokenUsage } from './types.ts'

/** What an adapter knows about a piece of a tool call; empty and absent mean the same. */
export interface ToolCallPiece {
  readonly id?: string | undefined
  readonly name?: string | undefined
  readonly arguments?: string | undefined
}

/** What a `finish` carries beside its reason; the runtime adds the route. */
export type FinishFacts = Pick<FinishChunk, 'replayState' | 'response'>

/** The reasons that carry nothing, which may be given by name. */
export type PlainFinishKind = 'stop' | 'tool-calls' | 'max-tokens'

export interface ChunkWriterOptions {
  /** Makes the id of a call to which the wire gave none; a random one by default. */
  readonly mintId?: (() => string) | undefined
}

/**
 * Turns what a wire says into grammar-valid chunks: it opens, numbers and closes blocks by itself. Each method gives
 * the chunks to yield now, possibly none. One writer serves one attempt of one stream.
 */
export class ChunkWriter {
  readonly #mintId: () => string
  readonly #calls = new Map<string | number, OpenCall>()
  #nextIndex = 0
  #prose: 'text' | 'reasoning' | undefined
  #proseIndex = 0
  #proseText = new GrowingText()
  #held = ''
  #openCalls = 0
  #completeCalls = 0
  #finished = false

  constructor(options: ChunkWriterOptions = {}) {
    this.#mintId = options.mintId ?? mintCallId
  }

  /** Whether any block was opened. */
  get hasContent(): boolean {
    return this.#nextIndex > 0
  }

  /** Whether a call is open whose argument text is not one complete JSON value, nor blank. */
  get hasIncompleteCall(): boolean {
    for (const call of this.#calls.values()) {
      if (!call.closed && !call.arguments.isBlank && !call.arguments.isComplete()) return true
    }
    return false
  }

  text(piece: string): StreamChunk[] {
    return this.#write('text', piece)
  }

  reasoning(piece: string): StreamChunk[] {
    return this.#write('reasoning', piece)
  }

  /** Closes the open text or reasoning, whose end the wire states; more of the same kind is then another block. */
  endProse(): StreamChunk[] {
    return this.#finished ? [] : this.#closeProse()
  }

  /**
   * Adds to the call that the wire knows by `key`. It opens once it has a name and an id, or with its first argument
   * text under a minted id; then both are final (R5). Text for a call that is closed is `MALFORMED_RESPONSE`.
   */
  toolCall(key: string | number, piece: ToolCallPiece): StreamChunk[] {
    if (this.#finished) return []
    const call = this.#callOf(key)
    const text = piece.arguments ?? ''
    if (call.closed) return rejectLateText(call, text)
    call.learn(piece.id ?? '', piece.name ?? '')
    call.hold(text)
    if (call.isOpen) return call.flush(call.id ?? this.#mint(call))
    return call.mayOpen ? this.#openCall(call) : []
  }

  /** Closes a call whose end the wire states; one that is closed or unknown gives nothing. */
  endToolCall(key: string | number): StreamChunk[] {
    const call = this.#calls.get(key)
    if (call === undefined || call.closed || this.#finished) return []
    const opening = call.index < 0 && call.name !== '' ? this.#openCall(call) : []
    return call.isOpen ? [...opening, ...this.#closeCall(call)] : opening
  }

  /** A cumulative snapshot of what the call cost so far (R6). */
  usage(usage: TokenUsage): StreamChunk[] {
    return this.#finished ? [] : [{ type: 'usage', usage }]
  }

  /**
   * Ends the stream, closing what the reason allows (R7). The kind is corrected to what was really written (R8, R9):
   * `stop` with calls is `tool-calls`, `tool-calls` without any is `stop`, `stop` without a block is `EMPTY_RESPONSE`.
   */
  finish(reason: PlainFinishKind | FinishReason, facts: FinishFacts = {}): StreamChunk[] {
    if (this.#finished) return []
    const wanted = typeof reason === 'string' ? ({ kind: reason } as FinishReason) : reason
    const chunks = this.#closeFor(wanted.kind)
    this.#finished = true
    chunks.push({ type: 'finish', reason: this.#settle(wanted), ...facts })
    return chunks
  }

  #write(kind: 'text' | 'reasoning', piece: string): StreamChunk[] {
    if (piece === '' || this.#finished) return []
    const chunks = this.#prose === kind ? [] : this.#openProse(kind)
    let text = this.#held === '' ? piece : this.#held + piece
    this.#held = ''
    if (endsInsideCharacter(text)) {
      this.#held = text.slice(-1)
      text = text.slice(0, -1)
    }
    if (text !== '') chunks.push(this.#proseDelta(kind, text))
    return chunks
  }

  #openProse(kind: 'text' | 'reasoning'): StreamChunk[] {
    const chunks = this.#closeProse()
    // A blank call may still get its text when another *call* begins, since some wires send all heads first.
    this.#closeCompleteCalls(chunks, true)
    this.#prose = kind
    this.#proseIndex = this.#nextIndex
    this.#nextIndex += 1
    chunks.push({ type: 'block-start', index: this.#proseIndex, blockType: kind })
    return chunks
  }

  #proseDelta(kind: 'text' | 'reasoning', text: string): StreamChunk {
    this.#proseText.append(text)
    return kind === 'text'
      ? { type: 'text-delta', index: this.#proseIndex, text }
      : { type: 'reasoning-delta', index: this.#proseIndex, text }
  }

  #closeProse(): StreamChunk[] {
    const kind = this.#prose
    if (kind === undefined) return []
    const chunks = this.#held === '' ? [] : [this.#proseDelta(kind, this.#held)]
    const block = { type: kind, text: this.#proseText.toString() }
    chunks.push({ type: 'block-end', index: this.#proseIndex, block })
    this.#prose = undefined
    this.#proseText = new GrowingText()
    this.#held = ''
    return chunks
  }

  #callOf(key: string | number): OpenCall {
    const known = this.#calls.get(key)
    if (known !== undefined) return known
    const call = new OpenCall()
    this.#calls.set(key, call)
    return call
  }

  #openCall(call: OpenCall): StreamChunk[] {
    const chunks = this.#closeProse()
    this.#closeCompleteCalls(chunks, false)
    chunks.push(...call.open(this.#nextIndex, call.id ?? this.#mint(call)))
    this.#nextIndex += 1
    this.#openCalls += 1
    return chunks
  }

  #mint(call: OpenCall): CallId {
    const id = this.#mintId() as CallId
    call.id = id
    return id
  }

  #closeCall(call: OpenCall): StreamChunk[] {
    this.#openCalls -= 1
    this.#completeCalls += 1
    return call.close(call.id ?? this.#mint(call))
  }

  #closeCompleteCalls(chunks: StreamChunk[], blankToo: boolean): void {
    if (this.#openCalls === 0) return
    for (const call of this.#calls.values()) {
      if (!call.isOpen) continue
      if (call.arguments.isBlank ? blankToo : call.arguments.isComplete()) chunks.push(...this.#closeCall(call))
    }
  }

  #closeFor(kind: FinishReason['kind']): StreamChunk[] {
    if (kind === 'error' || kind === 'aborted') return []
    const chunks = this.#closeProse()
    // The cap may have cut any open call, so none of them may be run.
    if (kind === 'max-tokens') return chunks
    for (const key of this.#calls.keys()) chunks.push(...this.endToolCall(key))
    return chunks
  }

  #settle(reason: FinishReason): FinishReason {
    if (reason.kind !== 'stop' && reason.kind !== 'tool-calls') return reason
    for (const call of this.#calls.values()) {
      if (call.index < 0 && call.wasTold)
        return failed('MALFORMED_RESPONSE', 'The provider sent a tool call without a name')
    }
    if (this.#completeCalls > 0) return { kind: 'tool-calls' }
    if (this.hasContent) return { kind: 'stop' }
    return failed('EMPTY_RESPONSE', 'The provider ended its answer without any content')
  }
}

function failed(code: string, message: string): FinishReason {
  return { kind: 'error', failure: createFailure(message, code) }
}

function rejectLateText(call: OpenCall, text: string): StreamChunk[] {
  if (text.trim() === '') return []
  const message = `The provider sent more arguments for the tool call "${call.name}" after a complete JSON value`
  throw new LlmError(message, 'MALFORMED_RESPONSE')
}

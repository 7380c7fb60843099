import {
  ChunkWriter,
  type FinishFacts,
  type FinishReason,
  type PlainFinishKind,
  type StreamChunk,
  type TokenUsage,
} from 'dsh-llm'
import { InlineReasoningSplitter, type ProseSink } from './inline-reasoning.ts'
import type { BlockReplayState } from './replay-state.ts'
import type { InlineReasoning } from './response-rules.ts'
import { ToolCallTracker, type ToolCallTrackerOptions } from './tool-call-tracker.ts'

/** How the pieces of one answer are to be understood. */
export interface AnswerWriterOptions extends ToolCallTrackerOptions {
  readonly inlineReasoning?: InlineReasoning | undefined
}

/** Writes the pieces of one answer as chunks into the buffer of the moment, in the order in which they are told. */
export class AnswerWriter implements ProseSink {
  /** Where chunks go; the translator sets it for each batch of events. */
  out: StreamChunk[] = []
  readonly #chunks: ChunkWriter = new ChunkWriter()
  readonly #calls: ToolCallTracker
  readonly #splitter: InlineReasoningSplitter | undefined

  constructor(options: AnswerWriterOptions) {
    this.#calls = new ToolCallTracker(this.#chunks, options)
    const marks = options.inlineReasoning
    if (marks !== undefined) {
      const plain: ProseSink = {
        text: (piece) => this.#plainText(piece),
        reasoning: (piece) => this.#plainReasoning(piece),
      }
      this.#splitter = new InlineReasoningSplitter(marks, plain)
    }
  }

  /** Whether any block was opened. */
  get hasContent(): boolean {
    return this.#chunks.hasContent
  }

  /** Whether a call is open whose text is neither blank nor whole. Scans the text; meant for the end. */
  get hasIncompleteCall(): boolean {
    return this.#chunks.hasIncompleteCall
  }

  /** Adds text, in which the dialect may see marked reasoning; an empty piece is nothing. */
  text(piece: string): void {
    if (this.#splitter === undefined) this.#plainText(piece)
    else this.#splitter.write(piece)
  }

  /** Adds reasoning that came as such; half a mark held back before it was no mark. */
  reasoning(piece: string): void {
    if (piece === '') return
    this.#splitter?.flush()
    this.#plainReasoning(piece)
  }

  /** Adds the entries of one delta's `tool_calls`. */
  toolCalls(entries: readonly unknown[]): void {
    if (entries.length === 0) return
    this.#splitter?.flush()
    this.#calls.add(entries, this.out)
  }

  /** The same as one `tool_calls` entry with nothing but this index and text. */
  toolArguments(index: number, text: string): void {
    this.#splitter?.flush()
    this.#calls.addArguments(index, text, this.out)
  }

  /** Writes what was held back; the answer ends or fails. */
  settle(): void {
    this.#splitter?.flush()
    this.#calls.settle(this.out)
  }

  /** Closes the open calls; gives the name of one that cannot be closed, since it holds several objects. */
  closeCalls(): string | undefined {
    return this.#calls.close(this.out)
  }

  /** Ends the answer; the usage, if known, comes right before the finish (R6). */
  finish(reason: PlainFinishKind | FinishReason, facts: FinishFacts, usage?: TokenUsage): void {
    const chunks = this.#chunks.finish(reason, facts)
    if (usage !== undefined) chunks.splice(-1, 0, { type: 'usage', usage })
    this.#push(chunks)
  }

  /** What must travel back with the blocks, by their index. */
  replayBlocks(): readonly (BlockReplayState | undefined)[] {
    return this.#calls.replayBlocks()
  }

  /** A head that waits is written first: it began before this piece. */
  #plainText(piece: string): void {
    if (piece === '') return
    this.#calls.settle(this.out)
    this.#push(this.#chunks.text(piece))
  }

  #plainReasoning(piece: string): void {
    if (piece === '') return
    this.#calls.settle(this.out)
    this.#push(this.#chunks.reasoning(piece))
  }

  #push(chunks: readonly StreamChunk[]): void {
    const out = this.out
    for (const chunk of chunks) out.push(chunk)
  }
}

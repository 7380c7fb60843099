import { assertNever } from './assert-never.ts'
import { BlockDraft } from './block-draft.ts'
import type { ContentBlock, ContentBlockType } from './content.ts'
import { FinishOutcome } from './finish-outcome.ts'
import type { MessageId } from './ids.ts'
import type { JsonValue } from './json.ts'
import { createAssistantMessage } from './message.ts'
import { present } from './present.ts'
import type {
  AttemptChunk,
  LlmFailure,
  Message,
  MessageSource,
  ReplayEnvelope,
  StreamChunk,
  TokenUsage,
} from './types.ts'

/** What one void attempt came to: billed, but of no use. */
export interface VoidAttempt {
  readonly failure: LlmFailure
  readonly delayMs: number
  /** What the attempt cost, where the wire said. */
  readonly usage?: TokenUsage | undefined
}

export interface BlockAssemblerOptions {
  /** Id of the message; a random one by default. */
  readonly id?: MessageId | undefined
}

/**
 * The only code that turns chunks into blocks. Takes any chunk in any order without failing; work is linear in the
 * bytes received. Unfinished is never `stop`: `finish` stays `undefined` until one came.
 */
export class BlockAssembler {
  readonly #id: MessageId | undefined
  #drafts = new Map<number, BlockDraft>()
  #latest: BlockDraft | undefined
  #usage: TokenUsage | undefined
  #finish: FinishOutcome | undefined
  #attempts: readonly VoidAttempt[] = []
  #blocks: readonly ContentBlock[] | undefined
  #message: Message | undefined

  constructor(options: BlockAssemblerOptions = {}) {
    this.#id = options.id
  }

  /** Costs of this attempt, from the last snapshot (R6). */
  get usage(): TokenUsage | undefined {
    return this.#usage
  }

  get finish(): FinishOutcome | undefined {
    return this.#finish
  }

  /** Attempts that an `attempt` chunk made void, oldest first. */
  get attempts(): readonly VoidAttempt[] {
    return this.#attempts
  }

  /** The envelope of the finish, without entries of blocks that the message does not have. */
  get replayState(): ReplayEnvelope | undefined {
    const envelope = this.#finish?.replayState
    if (envelope?.blocks === undefined) return envelope
    const blocks = this.#kept().map((draft): JsonValue => envelope.blocks?.[draft.index] ?? null)
    return Object.freeze({ response: envelope.response, blocks: Object.freeze(blocks) })
  }

  push(chunk: StreamChunk): void {
    if (this.#finish !== undefined) return
    this.#blocks = undefined
    this.#message = undefined
    switch (chunk.type) {
      case 'block-start':
        this.#draft(chunk.index, chunk.blockType)
        return
      case 'text-delta':
        this.#draft(chunk.index, 'text').addText('text', chunk.text)
        return
      case 'reasoning-delta':
        this.#draft(chunk.index, 'reasoning').addText('reasoning', chunk.text)
        return
      case 'tool-call-delta':
        this.#draft(chunk.index, 'tool-call').addCall(chunk.id, chunk.name, chunk.argumentsDelta)
        return
      case 'block-end':
        this.#draft(chunk.index, chunk.block.type).close(chunk.block)
        return
      case 'usage':
        this.#usage = chunk.usage
        return
      case 'attempt':
        this.#restart(chunk)
        return
      case 'finish':
        this.#finish = new FinishOutcome(chunk)
        return
      default:
        assertNever(chunk, 'stream chunk')
    }
  }

  /**
   * The blocks so far, in index order, open ones as they stand; empty ones are left out. An answer keeps only closed
   * tool calls, after `max-tokens` none: the cap may have cut them. The array is cached until the next chunk.
   */
  blocks(): readonly ContentBlock[] {
    this.#blocks ??= Object.freeze(toBlocks(this.#kept()))
    return this.#blocks
  }

  /** What is worth keeping of a cut answer: non-blank text and reasoning, never a tool call. */
  interruptedBlocks(): readonly ContentBlock[] {
    return this.blocks().filter(
      (block) => (block.type === 'text' || block.type === 'reasoning') && block.text.trim() !== '',
    )
  }

  /**
   * The answer as a message. Without an argument its source is the route that the finish names, with the replay state;
   * one that names none was made by code, not by a model, and has a `plugin` source. A cut answer holds
   * `interruptedBlocks()` only.
   */
  message(source?: MessageSource): Message {
    if (source !== undefined) return this.#build(source)
    this.#message ??= this.#build(this.#source())
    return this.#message
  }

  #build(source: MessageSource): Message {
    const content = this.#finish?.isAnswer === true ? this.blocks() : this.interruptedBlocks()
    return createAssistantMessage({ content, source, id: this.#id })
  }

  #source(): MessageSource {
    const response = this.#finish?.response
    if (response === undefined) return { kind: 'plugin', plugin: 'unnamed' }
    const { provider, model } = response
    const replayState = this.#finish?.isAnswer === true ? this.replayState : undefined
    return { kind: 'model', provider, model, replayState }
  }

  /** The draft that a chunk belongs to; chunks of one block mostly follow each other. */
  #draft(index: number, type: ContentBlockType): BlockDraft {
    const latest = this.#latest
    if (latest !== undefined && latest.index === index) return latest
    let draft = this.#drafts.get(index)
    if (draft === undefined) {
      draft = new BlockDraft(index, type)
      this.#drafts.set(index, draft)
    }
    this.#latest = draft
    return draft
  }

  #restart(chunk: AttemptChunk): void {
    const { failure, delayMs, usage = this.#usage } = chunk
    const attempt = Object.freeze(present({ failure, delayMs, usage }))
    this.#attempts = Object.freeze([...this.#attempts, attempt])
    this.#drafts = new Map()
    this.#latest = undefined
    this.#usage = undefined
  }

  /** The drafts that the answer keeps, in index order. */
  #kept(): readonly BlockDraft[] {
    const drafts = [...this.#drafts.values()].sort((a, b) => a.index - b.index)
    return drafts.filter((draft) => this.#keeps(draft))
  }

  /** Only a closed call may be run (R8), and none of an answer that the cap has cut. */
  #keeps(draft: BlockDraft): boolean {
    const block = draft.toBlock()
    if (block === undefined) return false
    if (block.type !== 'tool-call' || this.#finish?.isAnswer !== true) return true
    return draft.isClosed && this.#finish.kind !== 'max-tokens'
  }
}

function toBlocks(drafts: readonly BlockDraft[]): ContentBlock[] {
  return drafts.flatMap((draft) => draft.toBlock() ?? [])
}

import type { ContentBlock, ContentBlockType, ToolCallBlock } from './content.ts'
import { printed } from './printed.ts'
import { readProperty, readString } from './read-property.ts'
import type { FinishReason, StreamChunk, ToolCallDeltaChunk } from './types.ts'
import { isObject } from './value-rules.ts'

/** A broken rule of the stream grammar. */
export interface GrammarFault {
  /** The rule's number in `docs/stream-protocol.md`, such as `R4`. */
  readonly rule: string
  /** What the chunk did, to be read after "broke rule R4: ". */
  readonly message: string
}

interface BlockState {
  readonly index: number
  readonly type: ContentBlockType
  open: boolean
  /** Units of text received in deltas. */
  length: number
  id: string
  name: string
}

/**
 * Checks one adapter run against the grammar, chunk by chunk, in constant time and memory per block. It compares
 * lengths, not text (R4). Works on what it is given at run time: no field is taken on trust.
 */
export class Grammar {
  readonly #blocks: BlockState[] = []
  #hasContent = false

  /** Whether a block of some length came: a zero-length block is no block (R9). */
  get hasContent(): boolean {
    return this.#hasContent
  }

  check(chunk: StreamChunk): GrammarFault | undefined {
    switch (chunk.type) {
      case 'text-delta':
        return this.#delta(chunk.index, 'text', chunk.text)
      case 'reasoning-delta':
        return this.#delta(chunk.index, 'reasoning', chunk.text)
      case 'tool-call-delta':
        return this.#callDelta(chunk)
      case 'block-start':
        return this.#start(chunk.index, chunk.blockType)
      case 'block-end':
        return this.#end(chunk.index, chunk.block)
      case 'usage':
        return isObject(chunk.usage) ? undefined : fault('R6', 'a usage chunk has no usage')
      case 'finish':
        return this.#finish(chunk.reason)
      case 'attempt':
        return fault('R10', 'an adapter emitted an attempt; only listeners may')
      default:
        return fault('R1', `a chunk has the unknown type ${printed(readProperty(chunk, 'type'))}`)
    }
  }

  /** A text such as "0" would find a block here and be another one in a `Map`. */
  #block(index: number): BlockState | undefined {
    return typeof index === 'number' ? this.#blocks[index] : undefined
  }

  #start(index: number, type: ContentBlockType): GrammarFault | undefined {
    const next = this.#blocks.length
    if (index !== next) return fault('R2', `block ${printed(index)} was opened where ${next} comes next`)
    if (typeof type !== 'string') return fault('R3', `block ${index} has no type`)
    this.#blocks.push({ index, type, open: true, length: 0, id: '', name: '' })
    return undefined
  }

  #delta(index: number, type: ContentBlockType, text: string): GrammarFault | undefined {
    const block = this.#block(index)
    if (block === undefined || !block.open || block.type !== type)
      return this.#stray('R3', `a ${type} delta`, index)
    if (typeof text !== 'string') return fault('R3', `a ${type} delta of block ${index} has no text`)
    block.length += text.length
    if (block.length > 0) this.#hasContent = true
    return undefined
  }

  #stray(rule: string, what: string, index: number): GrammarFault {
    const block = this.#block(index)
    const state = block === undefined ? 'was never opened' : block.open ? `is ${block.type}` : 'is closed'
    return fault(rule, `${what} names block ${printed(index)}, which ${state}`)
  }

  #callDelta(chunk: ToolCallDeltaChunk): GrammarFault | undefined {
    const fault = this.#delta(chunk.index, 'tool-call', chunk.argumentsDelta)
    const block = this.#block(chunk.index)
    if (fault !== undefined || block === undefined) return fault
    this.#hasContent = true
    if (block.id === '') return openCall(block, chunk)
    return changed(block, 'id', chunk.id) ?? changed(block, 'name', chunk.name ?? block.name)
  }

  #end(index: number, block: ContentBlock): GrammarFault | undefined {
    const state = this.#block(index)
    const type = readProperty(block, 'type')
    if (state === undefined || !state.open || state.type !== type) {
      return this.#stray('R4', `a block-end of type ${printed(type)}`, index)
    }
    state.open = false
    if (block.type === 'text' || block.type === 'reasoning') return changedLength(state, block.text)
    if (block.type === 'tool-call') return closeCall(state, block)
    this.#hasContent = true
    return undefined
  }

  #finish(reason: FinishReason): GrammarFault | undefined {
    switch (readString(reason, 'kind')) {
      case undefined:
        return fault('R1', 'a finish has no reason')
      case 'stop':
      case 'tool-calls':
        return this.#leftOpen(reason.kind) ?? this.#wrongCalls(reason.kind)
      case 'max-tokens':
        return this.#leftOpen(reason.kind, 'tool-call')
      case 'error':
      case 'aborted':
        return missingFailure(reason)
      default:
        return undefined
    }
  }

  /** Blocks that must be closed by now, which are all but those of the type `allowed` (R7). */
  #leftOpen(kind: string, allowed?: ContentBlockType): GrammarFault | undefined {
    const open = this.#blocks.filter((block) => block.open && block.type !== allowed)
    return open.length === 0 ? undefined : fault('R7', `${kind} left ${open.length} block(s) open`)
  }

  #wrongCalls(kind: string): GrammarFault | undefined {
    const { length } = this.#blocks.filter(({ type }) => type === 'tool-call')
    if (length > 0 === (kind === 'tool-calls')) return undefined
    return fault('R8', `${kind} came with ${length} complete tool call(s)`)
  }
}

function missingFailure(reason: FinishReason): GrammarFault | undefined {
  const failure = readProperty(reason, 'failure')
  if (readString(failure, 'message') !== undefined && readString(failure, 'code') !== undefined)
    return undefined
  return fault('R1', `a finish with ${reason.kind} has no failure with message and code`)
}

function openCall(block: BlockState, { id, name }: ToolCallDeltaChunk): GrammarFault | undefined {
  for (const [fact, value] of Object.entries({ id, name })) {
    if (typeof value !== 'string' || value === '')
      return fault('R5', `the first delta of the call in block ${block.index} has no ${fact}`)
  }
  Object.assign(block, { id, name })
  return undefined
}

function closeCall(state: BlockState, call: ToolCallBlock): GrammarFault | undefined {
  const { id, name, arguments: text } = call
  if (state.id === '') return fault('R5', `the call in block ${state.index} was closed before its first delta`)
  if (name === undefined) return fault('R4', `the call in block ${state.index} was closed without its name`)
  return changed(state, 'id', id) ?? changedLength(state, text) ?? changed(state, 'name', name)
}

function changed(block: BlockState, fact: 'id' | 'name', value: unknown): GrammarFault | undefined {
  if (value === block[fact]) return undefined
  const change = `changed its ${fact} from ${printed(block[fact])} to ${printed(value)}`
  return fault('R5', `the call in block ${block.index} ${change}`)
}

function changedLength({ index, length }: BlockState, text: string): GrammarFault | undefined {
  if (typeof text !== 'string') return fault('R4', `block ${index} was closed without its text`)
  if (text.length === length) return undefined
  return fault('R4', `block ${index} closed with ${text.length} characters after deltas of ${length}`)
}

function fault(rule: string, message: string): GrammarFault {
  return { rule, message }
}

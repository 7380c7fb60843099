import type { ContentBlock, ContentBlockType } from './content.ts'
import { readString } from './read-property.ts'
import type { FinishReason, StreamChunk, ToolCallDeltaChunk } from './types.ts'

/** A broken rule of the stream grammar. */
export interface GrammarFault {
  /** The rule's number in `docs/stream-protocol.md`, such as `R4`. */
  readonly rule: string
  /** What the chunk did, to be read after "broke rule R4: ". */
  readonly message: string
}

interface BlockState {
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
  #openProse = 0
  #openCalls = 0
  #completeCalls = 0
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
        return fault('R1', `a chunk has the unknown type ${printed((chunk as { type?: unknown }).type)}`)
    }
  }

  /** A text such as "0" would find a block here and be another one in a `Map`. */
  #block(index: number): BlockState | undefined {
    return typeof index === 'number' ? this.#blocks[index] : undefined
  }

  #start(index: number, type: ContentBlockType): GrammarFault | undefined {
    if (index !== this.#blocks.length) {
      return fault('R2', `block ${printed(index)} was opened where ${this.#blocks.length} comes next`)
    }
    if (typeof type !== 'string') return fault('R3', `block ${index} has no type`)
    this.#blocks.push({ type, open: true, length: 0, id: '', name: '' })
    if (type === 'tool-call') this.#openCalls += 1
    else this.#openProse += 1
    return undefined
  }

  #delta(index: number, type: ContentBlockType, text: string): GrammarFault | undefined {
    const block = this.#block(index)
    if (block === undefined || !block.open || block.type !== type) return this.#strayDelta(index, type)
    if (typeof text !== 'string') return fault('R3', `a ${type} delta of block ${index} has no text`)
    block.length += text.length
    if (block.length > 0) this.#hasContent = true
    return undefined
  }

  #strayDelta(index: number, type: ContentBlockType): GrammarFault {
    const block = this.#block(index)
    if (block === undefined)
      return fault('R3', `a ${type} delta names block ${printed(index)}, which was never opened`)
    if (!block.open) return fault('R3', `a ${type} delta came after block ${index} was closed`)
    return fault('R3', `a ${type} delta came for block ${index}, which is ${block.type}`)
  }

  #callDelta(chunk: ToolCallDeltaChunk): GrammarFault | undefined {
    const { index, id, name } = chunk
    const fault = this.#delta(index, 'tool-call', chunk.argumentsDelta)
    const block = this.#block(index)
    if (fault !== undefined || block === undefined) return fault
    this.#hasContent = true
    if (block.id === '') return openCall(block, chunk)
    return id === block.id ? this.#sameName(block, name, index) : changedId(index, block.id, id)
  }

  #sameName(block: BlockState, name: string | undefined, index: number): GrammarFault | undefined {
    if (name === undefined || name === block.name) return undefined
    return fault('R5', `the call in block ${index} was renamed from ${printed(block.name)} to ${printed(name)}`)
  }

  #end(index: number, block: ContentBlock): GrammarFault | undefined {
    const state = this.#block(index)
    if (state === undefined) return fault('R4', `block ${printed(index)} was closed but never opened`)
    if (!state.open) return fault('R4', `block ${index} was closed twice`)
    if (!isObject(block) || block.type !== state.type)
      return fault('R4', `block ${index} closed with another type`)
    state.open = false
    if (state.type === 'tool-call') this.#openCalls -= 1
    else this.#openProse -= 1
    if (block.type === 'tool-call') this.#completeCalls += 1
    return this.#compare(index, state, block)
  }

  #compare(index: number, state: BlockState, block: ContentBlock): GrammarFault | undefined {
    if (block.type === 'text' || block.type === 'reasoning') return sameLength(index, state.length, block.text)
    if (block.type !== 'tool-call') {
      this.#hasContent = true
      return undefined
    }
    if (state.id === '') return fault('R5', `the call in block ${index} was closed before its first delta`)
    if (block.id !== state.id) return changedId(index, state.id, block.id)
    if (block.name === undefined) return fault('R4', `the call in block ${index} was closed without its name`)
    return sameLength(index, state.length, block.arguments) ?? this.#sameName(state, block.name, index)
  }

  #finish(reason: FinishReason): GrammarFault | undefined {
    if (!isObject(reason) || typeof reason.kind !== 'string') return fault('R1', 'a finish has no reason')
    switch (reason.kind) {
      case 'stop':
        return this.#allClosed('stop') ?? this.#stopWithoutCall()
      case 'tool-calls':
        return this.#allClosed('tool-calls') ?? this.#callsPresent()
      case 'max-tokens':
        return this.#openProse === 0 ? undefined : fault('R7', 'max-tokens left a text or reasoning block open')
      case 'error':
      case 'aborted':
        return isFailure(reason.failure)
          ? undefined
          : fault('R1', `a finish with ${reason.kind} has no failure with message and code`)
      default:
        return undefined
    }
  }

  #allClosed(kind: string): GrammarFault | undefined {
    const open = this.#openProse + this.#openCalls
    return open === 0 ? undefined : fault('R7', `${kind} left ${open} block(s) open`)
  }

  #stopWithoutCall(): GrammarFault | undefined {
    return this.#completeCalls === 0 ? undefined : fault('R8', 'stop came although a tool call is complete')
  }

  #callsPresent(): GrammarFault | undefined {
    return this.#completeCalls > 0 ? undefined : fault('R8', 'tool-calls came without a complete tool call')
  }
}

function openCall(block: BlockState, chunk: ToolCallDeltaChunk): GrammarFault | undefined {
  if (typeof chunk.id !== 'string' || chunk.id === '')
    return fault('R5', `the call in block ${chunk.index} has no id`)
  if (typeof chunk.name !== 'string' || chunk.name === '') {
    return fault('R5', `the first delta of the call in block ${chunk.index} has no name`)
  }
  block.id = chunk.id
  block.name = chunk.name
  return undefined
}

function changedId(index: number, from: string, to: unknown): GrammarFault {
  return fault('R5', `the call in block ${index} changed its id from ${printed(from)} to ${printed(to)}`)
}

function sameLength(index: number, length: number, text: string): GrammarFault | undefined {
  if (typeof text !== 'string') return fault('R4', `block ${index} was closed without its text`)
  if (text.length === length) return undefined
  return fault('R4', `block ${index} closed with ${text.length} characters after deltas of ${length}`)
}

function isFailure(failure: unknown): boolean {
  return readString(failure, 'message') !== undefined && readString(failure, 'code') !== undefined
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}

function fault(rule: string, message: string): GrammarFault {
  return { rule, message }
}

/** A value in a message: short, and whatever it is. */
function printed(value: unknown): string {
  if (typeof value === 'string')
    return value.length > 40 ? `${JSON.stringify(value.slice(0, 40))}…` : JSON.stringify(value)
  if (typeof value === 'number') return String(value)
  return value === undefined || value === null ? 'nothing' : `a ${typeof value}`
}

import type { BlockStartChunk, ContentBlock, StreamChunk } from 'dsh-llm'
import { quote } from './describe-chunk.ts'

/** A broken rule and what broke it, to be read after "breaks R4: ". */
export interface BrokenRule {
  readonly rule: string
  readonly message: string
}

interface BlockState {
  readonly type: string
  open: boolean
  text: string
  id: string
  name: string
}

type DeltaChunk = Extract<StreamChunk, { type: 'text-delta' | 'reasoning-delta' | 'tool-call-delta' }>

/** The blocks of one attempt, with their whole text: R2 to R5, and the facts by which a finish is judged. */
export class GrammarBlocks {
  private readonly blocks: BlockState[] = []

  /** Types of the blocks that are still open, in order. */
  get open(): readonly string[] {
    return this.blocks.filter((block) => block.open).map((block) => block.type)
  }

  get completeCalls(): number {
    return this.blocks.filter((block) => block.type === 'tool-call' && !block.open).length
  }

  /** A block without any text is none (R9), except a call, which has a name. */
  get hasContent(): boolean {
    return this.blocks.some((block) => block.type === 'tool-call' || block.text !== '')
  }

  start({ index, blockType }: BlockStartChunk): BrokenRule | undefined {
    if (index !== this.blocks.length)
      return broken('R2', `block ${index} was opened where ${this.blocks.length} comes next`)
    const left = this.blocks.findIndex(
      ({ open, type }) => open && type !== blockType && (type === 'text' || type === 'reasoning'),
    )
    if (left !== -1) {
      const type = this.blocks[left]?.type
      return broken('R4', `block ${left} (${type}) is still open where a block of ${blockType} begins`)
    }
    this.blocks.push({ type: blockType, open: true, text: '', id: '', name: '' })
    return undefined
  }

  delta(chunk: DeltaChunk): BrokenRule | undefined {
    const block = this.blocks[chunk.index]
    if (block === undefined) return broken('R3', `block ${chunk.index} was never opened`)
    if (!block.open) return broken('R3', `block ${chunk.index} is closed already`)
    if (chunk.type !== `${block.type}-delta`)
      return broken('R3', `a ${chunk.type} came for block ${chunk.index}, which is ${block.type}`)
    const text = chunk.type === 'tool-call-delta' ? chunk.argumentsDelta : chunk.text
    if (typeof text !== 'string') return broken('R3', `the delta of block ${chunk.index} has no text`)
    block.text += text
    return chunk.type === 'tool-call-delta' ? nameCall(block, chunk) : undefined
  }

  end(index: number, whole: ContentBlock): BrokenRule | undefined {
    const block = this.blocks[index]
    if (block === undefined) return broken('R4', `block ${index} was closed but never opened`)
    if (!block.open) return broken('R4', `block ${index} was closed twice`)
    if (whole?.type !== block.type)
      return broken('R4', `block ${index} was opened as ${block.type} and closed as ${whole?.type}`)
    block.open = false
    if (whole.type === 'tool-call') return sameCall(index, block, whole)
    if (whole.type === 'text' || whole.type === 'reasoning') return sameText(index, block.text, whole.text)
    block.text = quote(whole)
    return undefined
  }
}

function nameCall(
  block: BlockState,
  { index, id, name }: Extract<DeltaChunk, { type: 'tool-call-delta' }>,
): BrokenRule | undefined {
  if (typeof id !== 'string' || id === '') return broken('R5', `the call in block ${index} has no id`)
  if (block.id === '') {
    if (name === undefined || name === '')
      return broken('R5', `the first delta of the call in block ${index} has no name`)
    block.id = id
    block.name = name
  }
  if (id !== block.id)
    return broken('R5', `the call in block ${index} changed its id from ${quote(block.id)} to ${quote(id)}`)
  if (name === undefined || name === block.name) return undefined
  return broken('R5', `the call in block ${index} was renamed from ${quote(block.name)} to ${quote(name)}`)
}

function sameCall(
  index: number,
  block: BlockState,
  call: Extract<ContentBlock, { type: 'tool-call' }>,
): BrokenRule | undefined {
  if (block.id === '') return broken('R5', `the call in block ${index} was closed before its first delta`)
  if (call.id !== block.id)
    return broken('R5', `block ${index} closed with the id ${quote(call.id)} after ${quote(block.id)}`)
  if (call.name !== block.name)
    return broken('R4', `block ${index} closed with the name ${quote(call.name)} after ${quote(block.name)}`)
  return sameText(index, block.text, call.arguments)
}

function sameText(index: number, deltas: string, whole: string): BrokenRule | undefined {
  if (whole === deltas) return undefined
  return broken('R4', `block ${index} closed with ${quote(whole)} after deltas of ${quote(deltas)}`)
}

export function broken(rule: string, message: string): BrokenRule {
  return { rule, message }
}

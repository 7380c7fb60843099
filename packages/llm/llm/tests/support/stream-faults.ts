import type { ContentBlock, FinishReason, StreamChunk } from '../../src/index.ts'

interface Seen {
  readonly type: string
  text: string
  id: string
  name: string
  closed: boolean
}

/**
 * Everything in a whole stream that breaks the grammar (R1–R9), in words. Compares text where the boundary compares
 * lengths, and shares no code with it, so that the two check each other.
 */
export function streamFaults(chunks: readonly StreamChunk[]): readonly string[] {
  const seen: Seen[] = []
  const faults: string[] = []
  const must = (holds: boolean, fault: string): void => {
    if (!holds) faults.push(fault)
  }
  chunks.forEach((chunk, at) => {
    must(
      (chunk.type === 'finish') === (at === chunks.length - 1),
      `R1 ${chunk.type} at ${at} of ${chunks.length}`,
    )
    if (chunk.type === 'block-start') {
      must(chunk.index === seen.length, `R2 index ${chunk.index} after ${seen.length} blocks`)
      seen.push({ type: chunk.blockType, text: '', id: '', name: '', closed: false })
    } else if ('index' in chunk) {
      const block = seen[chunk.index]
      if (block === undefined || block.closed) faults.push(`R3 ${chunk.type} outside of an open block`)
      else if (chunk.type === 'block-end') close(block, chunk.block, must)
      else extend(block, chunk, must)
    } else if (chunk.type === 'finish') checkFinish(seen, chunk.reason, must)
  })
  return faults
}

type Must = (holds: boolean, fault: string) => void
type DeltaChunk = Extract<StreamChunk, { type: 'text-delta' | 'reasoning-delta' | 'tool-call-delta' }>

function extend(block: Seen, chunk: DeltaChunk, must: Must): void {
  must(chunk.type === `${block.type}-delta`, `R3 ${chunk.type} in a block of ${block.type}`)
  if (chunk.type !== 'tool-call-delta') {
    must(chunk.text !== '', 'an empty delta')
    block.text += chunk.text
    return
  }
  must(chunk.id !== '' && (block.id === '' || block.id === chunk.id), `R5 id ${chunk.id} after ${block.id}`)
  must(block.name !== '' || (chunk.name ?? '') !== '', 'R5 no name on the first delta')
  block.id = chunk.id
  block.name ||= chunk.name ?? ''
  block.text += chunk.argumentsDelta
}

function close(seen: Seen, block: ContentBlock, must: Must): void {
  seen.closed = true
  must(block.type === seen.type, `R4 a ${block.type} ends a ${seen.type}`)
  if (block.type === 'text' || block.type === 'reasoning') {
    must(block.text === seen.text, 'R4 the block does not equal its deltas')
    must(block.text !== '', 'R9 an empty block')
  }
  if (block.type !== 'tool-call') return
  must(
    block.arguments === seen.text && block.id === seen.id && block.name === seen.name,
    'R4 the call differs from its deltas',
  )
}

function checkFinish(seen: readonly Seen[], reason: FinishReason, must: Must): void {
  const open = seen.filter((block) => !block.closed)
  const completeCalls = seen.filter((block) => block.type === 'tool-call' && block.closed).length
  if (reason.kind === 'stop' || reason.kind === 'tool-calls') {
    must(open.length === 0, `R7 ${reason.kind} with open blocks`)
    must(
      (reason.kind === 'tool-calls') === completeCalls > 0,
      `R8 ${reason.kind} with ${completeCalls} complete calls`,
    )
  }
  if (reason.kind === 'max-tokens')
    must(
      open.every((block) => block.type === 'tool-call'),
      'R7 max-tokens with open prose',
    )
  if (reason.kind === 'stop') must(seen.length > 0, 'R9 stop without a block')
}

import type { ReplayEnvelope } from 'dsh-llm'
import type { PiBlock, PiMessage, PiModel } from './pi-api.ts'
import type { Protocol } from './protocol.ts'
import { type HiddenBlock, toBlockState, toReplayEnvelope } from './replay-state.ts'

/**
 * What must travel back with a finished message, aligned with our blocks; nothing where it has no state. `owners` tells
 * by the index of each of our blocks from which block of pi-ai's it came.
 */
export function toAnswerState(
  { content }: PiMessage,
  owners: readonly number[],
  { model, protocol }: { readonly model: PiModel; readonly protocol: Protocol },
): ReplayEnvelope | undefined {
  if (content.some((block) => isLost(block, protocol))) return undefined
  const states = content.map((block) => toBlockState(block, protocol.splitsCallIds === true))
  const firsts = new Map<number, number>()
  for (const [at, owner] of owners.entries()) if (!firsts.has(owner)) firsts.set(owner, at)
  // A block that went on behind another one keeps its state where it began, unless it is for all of its pieces.
  const blocks = owners.map((owner, at) => {
    const { signature = '' } = states[owner] ?? {}
    const isFirst = firsts.get(owner) === at
    return isFirst || (signature !== '' && protocol.isShared?.(signature) === true) ? states[owner] : undefined
  })
  const hidden = content.flatMap((block, index): readonly HiddenBlock[] => {
    const { signature } = states[index] ?? {}
    if (signature === undefined || block.type === 'toolCall' || firsts.has(index)) return []
    const redacted = block.type === 'thinking' && block.redacted === true ? true : undefined
    return [{ at: placeBehind(index, owners), type: block.type, signature, redacted }]
  })
  return toReplayEnvelope({ blocks, hidden }, model)
}

/** What it thought cannot travel back, and then what belongs to it must not either. */
function isLost(block: PiBlock, { isReplayable }: Protocol): boolean {
  if (block.type !== 'thinking' || isReplayable === undefined) return false
  return block.thinkingSignature !== undefined && !isReplayable(block.thinkingSignature, 'reasoning')
}

/** Behind the blocks of ours that came from what stands before it. */
function placeBehind(index: number, owners: readonly number[]): number {
  return owners.findLastIndex((owner) => owner < index) + 1
}

import type { ReplayEnvelope } from 'dsh-llm'
import type { PiMessage, PiModel } from './pi-api.ts'
import type { Protocol } from './protocol.ts'
import { type BlockState, type HiddenBlock, toBlockState, toReplayEnvelope } from './replay-state.ts'

/** Which blocks of ours a block of pi-ai became: several where it went on behind another one, none where it was empty. */
export type BlockPlaces = ReadonlyMap<number, readonly number[]>

type PiBlock = PiMessage['content'][number]

/** What must travel back with a finished message, aligned with our blocks; nothing where it has no state. */
export function toAnswerState(
  { content }: PiMessage,
  places: BlockPlaces,
  { model, protocol }: { readonly model: PiModel; readonly protocol: Protocol },
): ReplayEnvelope | undefined {
  if (content.some((block) => isLost(block, protocol))) return undefined
  const count = Math.max(0, ...[...places.values()].flat().map((at) => at + 1))
  const blocks: (BlockState | undefined)[] = Array.from({ length: count })
  const hidden: HiddenBlock[] = []
  let next = 0
  for (const [index, block] of content.entries()) {
    const state = toBlockState(block, protocol.splitsCallIds === true)
    const [first] = places.get(index) ?? []
    if (first === undefined) hidden.push(...toHidden(block, next, state))
    else {
      blocks[first] = state
      next = first + 1
    }
  }
  return toReplayEnvelope({ blocks, hidden }, model)
}

/** What it thought cannot travel back, and then what belongs to it must not either. */
function isLost(block: PiBlock, { isReplayable }: Protocol): boolean {
  if (block.type !== 'thinking' || isReplayable === undefined) return false
  return block.thinkingSignature !== undefined && !isReplayable(block.thinkingSignature)
}

function toHidden(block: PiBlock, at: number, state: BlockState | undefined): readonly HiddenBlock[] {
  const { signature } = state ?? {}
  if (signature === undefined || block.type === 'toolCall') return []
  const redacted = block.type === 'thinking' && block.redacted === true ? true : undefined
  return [{ at, type: block.type, signature, redacted }]
}

import type { JsonObject, JsonValue, ReplayEnvelope } from 'dsh-llm'
import { isObject } from './wire.ts'

/** What must travel back with one block: the provider's own fields of a tool call, such as a thought signature. */
export interface BlockReplayState {
  readonly extraContent?: JsonValue | undefined
}

/** What must travel back with one assistant message. `blocks[i]` belongs to the content block with index `i`. */
export interface ReplayState {
  /** The `reasoning_details` array, its text pieces merged, to be echoed unchanged on the message. */
  readonly reasoningDetails?: readonly JsonValue[] | undefined
  readonly blocks: readonly (BlockReplayState | undefined)[]
}

/** Packs the state for a `finish`, or gives `undefined` when there is nothing to keep. */
export function toReplayEnvelope(state: ReplayState): ReplayEnvelope | undefined {
  const { reasoningDetails } = state
  const hasDetails = reasoningDetails !== undefined && reasoningDetails.length > 0
  const hasBlocks = state.blocks.some((block) => block?.extraContent !== undefined)
  if (!hasDetails && !hasBlocks) return undefined
  const response = hasDetails ? { reasoningDetails } : {}
  return hasBlocks ? { response, blocks: Array.from(state.blocks, packBlock) } : { response }
}

/** Reads an envelope that `toReplayEnvelope` made; parts of any other form are left out. */
export function readReplayState(envelope: ReplayEnvelope | undefined): ReplayState {
  const details = field(envelope?.response, 'reasoningDetails')
  return {
    reasoningDetails: Array.isArray(details) ? (details as readonly JsonValue[]) : undefined,
    blocks: (envelope?.blocks ?? []).map(readBlock),
  }
}

function packBlock(block: BlockReplayState | undefined): JsonValue {
  return block?.extraContent === undefined ? null : { extraContent: block.extraContent }
}

function readBlock(block: JsonValue): BlockReplayState | undefined {
  const extraContent = field(block, 'extraContent')
  return extraContent === undefined ? undefined : { extraContent }
}

function field(value: JsonValue | undefined, name: string): JsonValue | undefined {
  return isObject(value) ? (value as JsonObject)[name] : undefined
}

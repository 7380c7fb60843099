import type { JsonValue, ReplayEnvelope } from 'dsh-llm'
import * as v from 'valibot'
import type { ApiName } from './api-names.ts'
import type { PiBlock, PiModel } from './pi-api.ts'

/** What must travel back with one block. */
export interface BlockState {
  /** A signature, an encrypted item, or the field that carried reasoning: whatever pi-ai keeps under that name. */
  readonly signature?: string | undefined
  /** The provider's own id of a tool call, where it has one beside the call id. */
  readonly itemId?: string | undefined
}

/** What pi-ai keeps of an answer that is no block of ours, and after how many blocks it stood. */
export interface HiddenBlock {
  readonly at: number
  readonly type: 'thinking' | 'text'
  readonly signature: string
  readonly redacted?: true | undefined
}

/** All that must travel back with one message. It is good for the API and the model that gave it. */
export interface ReplayState {
  readonly blocks: readonly (BlockState | undefined)[]
  readonly hidden: readonly HiddenBlock[]
}

/** Grows when an older reader could not understand the state. */
const version = 1

const blockSchema = v.nullable(v.object({ signature: v.optional(v.string()), itemId: v.optional(v.string()) }))
const envelopeSchema = v.object({
  response: v.object({
    version: v.literal(version),
    api: v.string(),
    model: v.string(),
    hidden: v.optional(
      v.array(
        v.object({
          at: v.pipe(v.number(), v.integer(), v.minValue(0)),
          type: v.picklist(['thinking', 'text']),
          signature: v.string(),
          redacted: v.optional(v.literal(true)),
        }),
      ),
    ),
  }),
  blocks: v.optional(v.array(blockSchema)),
})

/** Packs the state for a `finish`; nothing where there is nothing to keep. */
export function toReplayEnvelope(
  { blocks, hidden }: ReplayState,
  { api, id: model }: PiModel,
): ReplayEnvelope | undefined {
  const kept = blocks.map(packBlock)
  if (hidden.length === 0 && kept.every((block) => block === null)) return undefined
  const response = { version, api, model, ...(hidden.length > 0 && { hidden: hidden.map(packHidden) }) }
  return { response, blocks: kept }
}

/** The state of a message for a model; nothing for state of another form, API or model, which nobody could use. */
export function readReplayState(
  envelope: ReplayEnvelope | undefined,
  { api, id }: { readonly api: ApiName; readonly id: string },
): ReplayState | undefined {
  const checked = v.safeParse(envelopeSchema, envelope)
  if (!checked.success) return undefined
  const { response, blocks = [] } = checked.output
  if (response.api !== api || response.model !== id) return undefined
  return { blocks: blocks.map((block) => block ?? undefined), hidden: response.hidden ?? [] }
}

/** The state of pi-ai's block; nothing where it has none, or none that could be used. */
export function toBlockState(block: PiBlock, splitsCallIds: boolean): BlockState | undefined {
  const itemId = splitsCallIds && block.type === 'toolCall' ? splitCallId(block.id)[1] : undefined
  const signature = signatureOf(block)
  return signature === undefined && itemId === undefined ? undefined : { signature, itemId }
}

/** The call id of the provider and, behind a bar, the id of its item. */
export function splitCallId(id: string): readonly [callId: string, itemId: string | undefined] {
  const [callId = '', itemId] = id.split('|')
  // pi-ai writes the word where the provider sent none.
  return [callId, itemId === 'undefined' || itemId === '' ? undefined : itemId]
}

function signatureOf(block: PiBlock): string | undefined {
  const signature =
    block.type === 'thinking'
      ? block.thinkingSignature
      : block.type === 'text'
        ? block.textSignature
        : block.thoughtSignature
  return signature === undefined || signature.trim() === '' ? undefined : signature
}

function packBlock(block: BlockState | undefined): JsonValue {
  if (block === undefined) return null
  const { signature, itemId } = block
  return { ...(signature !== undefined && { signature }), ...(itemId !== undefined && { itemId }) }
}

function packHidden({ at, type, signature, redacted }: HiddenBlock): JsonValue {
  return { at, type, signature, ...(redacted === true && { redacted }) }
}

import type { JsonValue, ReplayEnvelope } from 'dsh-llm'
import * as v from 'valibot'
import type { PiBlock, PiModel } from './pi-api.ts'
import type { Protocol, StatefulType } from './protocol.ts'

/** What must travel back with one block. */
export interface BlockState {
  /** The type of the block, which may have been edited since. */
  readonly type: StatefulType
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

const signature = v.pipe(v.string(), v.regex(/\S/))

const blockSchema = v.nullable(
  v.object({
    type: v.picklist(['text', 'reasoning', 'tool-call']),
    signature: v.optional(signature),
    itemId: v.optional(v.string()),
  }),
)
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
          signature,
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

/**
 * The state of a message for a model; nothing for state of another form, API or model, which nobody could use, or that
 * the API would take for something else.
 */
export function readReplayState(
  envelope: ReplayEnvelope | undefined,
  { api, id }: Pick<PiModel, 'api' | 'id'>,
  { isReplayable = () => true }: Pick<Protocol, 'isReplayable'>,
): ReplayState | undefined {
  const checked = v.safeParse(envelopeSchema, envelope)
  if (!checked.success) return undefined
  const { response, blocks = [] } = checked.output
  const { hidden = [] } = response
  if (response.api !== api || response.model !== id) return undefined
  const isSound = (type: StatefulType, text: string | undefined): boolean =>
    text === undefined || type === 'tool-call' || isReplayable(text, type)
  const isWhole =
    blocks.every((block) => block === null || isSound(block.type, block.signature)) &&
    hidden.every((block) => isSound(block.type === 'thinking' ? 'reasoning' : 'text', block.signature))
  return isWhole ? { blocks: blocks.map((block) => block ?? undefined), hidden } : undefined
}

/** The state of pi-ai's block; nothing where it has none. */
export function toBlockState(block: PiBlock, splitsCallIds: boolean): BlockState | undefined {
  const itemId = splitsCallIds && block.type === 'toolCall' ? splitCallId(block.id)[1] : undefined
  const text = signatureOf(block)
  return text === undefined && itemId === undefined
    ? undefined
    : { type: ourType[block.type], signature: text, itemId }
}

const ourType = { text: 'text', thinking: 'reasoning', toolCall: 'tool-call' } as const

/** The call id of the provider and, behind a bar, the id of its item. pi-ai makes words of ids that never came. */
export function splitCallId(id: unknown): readonly [callId: string, itemId: string | undefined] {
  const [callId = '', itemId = ''] = typeof id === 'string' ? id.split('|') : []
  return [absent.has(callId) ? '' : callId, absent.has(itemId) ? undefined : itemId]
}

const absent: ReadonlySet<string> = new Set(['', 'undefined', 'null'])

function signatureOf(block: PiBlock): string | undefined {
  const text =
    block.type === 'thinking'
      ? block.thinkingSignature
      : block.type === 'text'
        ? block.textSignature
        : block.thoughtSignature
  // Servers are not always as typed as pi-ai.
  return typeof text !== 'string' || text.trim() === '' ? undefined : text
}

function packBlock(block: BlockState | undefined): JsonValue {
  if (block === undefined) return null
  const { type, signature: text, itemId } = block
  return { type, ...(text !== undefined && { signature: text }), ...(itemId !== undefined && { itemId }) }
}

function packHidden({ redacted, ...block }: HiddenBlock): JsonValue {
  return { ...block, ...(redacted === true && { redacted }) }
}

import { callIdOf, mintId } from './mint-id.ts'
import { type NeutralAnswer, type NeutralCall, toFramePieces, toPieces } from './neutral-answer.ts'
import type { ResponsesDialect } from './responses-dialect.ts'
import type { NamedEvent } from './sse-frames.ts'

type Json = Readonly<Record<string, unknown>>

/** One output item: the events up to its last delta, those that close it, and what it has become then. */
export interface OutputItem {
  readonly opening: readonly NamedEvent[]
  readonly closing: readonly NamedEvent[]
  readonly item: Json
}

/** Where an event belongs: every event of an item names both. */
interface Place {
  readonly item_id: string
  readonly output_index: number
}

/** How a part that holds text is told. */
interface PartWords {
  readonly index: 'summary_index' | 'content_index'
  readonly part: string
  readonly text: string
  readonly type: string
  readonly onPart?: Json
  readonly onText?: Json
}

const words = {
  summary: {
    index: 'summary_index',
    part: 'response.reasoning_summary_part',
    text: 'response.reasoning_summary_text',
    type: 'summary_text',
  },
  text: {
    index: 'content_index',
    part: 'response.content_part',
    text: 'response.reasoning_text',
    type: 'reasoning_text',
  },
  message: {
    index: 'content_index',
    part: 'response.content_part',
    text: 'response.output_text',
    type: 'output_text',
    onPart: { annotations: [] },
    onText: { logprobs: [] },
  },
} as const satisfies Record<string, PartWords>

/**
 * The items of an answer in the order of the wire. Reasoning that is empty is an item without a part; `lastStatus` is the
 * status of the last item, if it has one.
 */
export function toOutputItems(answer: NeutralAnswer, wire: ResponsesDialect, lastStatus: string): OutputItem[] {
  const { reasoning, calls = [] } = answer
  const text = toFramePieces(answer.text)
  const count = (reasoning === undefined ? 0 : 1) + (text.length > 0 ? 1 : 0) + calls.length
  const items: OutputItem[] = []
  const statusOfNext = (): string => (items.length === count - 1 ? lastStatus : 'completed')
  if (reasoning !== undefined) items.push(reasoningItem(toFramePieces(reasoning), wire, items.length))
  if (text.length > 0) items.push(messageItem(text, wire, { at: items.length, status: statusOfNext() }))
  for (const [position, call] of calls.entries()) {
    const at = items.length
    items.push(callItem(call, wire, { at, position, status: statusOfNext() }))
  }
  return items
}

function reasoningItem(pieces: readonly string[], wire: ResponsesDialect, at: number): OutputItem {
  const place = placeOf(wire.itemIdPrefixes.reasoning, at, pieces)
  const isSummary = wire.reasoning === 'summary'
  const { opening, closing, parts } = renderPart(words[wire.reasoning], pieces, place)
  const head = { id: place.item_id, type: 'reasoning' }
  const bare = isSummary ? { ...head, summary: [] } : { ...head, summary: [], content: [] }
  const item = {
    ...bare,
    [isSummary ? 'summary' : 'content']: parts,
    encrypted_content: wire.encryptedContent,
  }
  return toItem(place, { bare, item, opening, closing })
}

function messageItem(
  pieces: readonly string[],
  { itemIdPrefixes, phase }: ResponsesDialect,
  { at, status }: { readonly at: number; readonly status: string },
): OutputItem {
  const place = placeOf(itemIdPrefixes.message, at, pieces)
  const { opening, closing, parts } = renderPart(words.message, pieces, place)
  const head = { id: place.item_id, type: 'message' }
  const bare = { ...head, status: 'in_progress', role: 'assistant', content: [], phase }
  return toItem(place, { bare, item: { ...bare, status, content: parts }, opening, closing })
}

function callItem(
  call: NeutralCall,
  { itemIdPrefixes, callIdPrefix }: ResponsesDialect,
  { at, position, status }: { readonly at: number; readonly position: number; readonly status: string },
): OutputItem {
  const place = placeOf(itemIdPrefixes.call, at, [call.name, call.arguments])
  const event = 'response.function_call_arguments'
  const text = toPieces(call.arguments).join('')
  const head = { id: place.item_id, type: 'function_call', status: 'in_progress' }
  const bare = { ...head, call_id: callIdOf(call, position, callIdPrefix), name: call.name, arguments: '' }
  return toItem(place, {
    bare,
    item: { ...bare, status, arguments: text },
    opening: toFramePieces(call.arguments).map((delta) => ({ type: `${event}.delta`, ...place, delta })),
    closing: [{ type: `${event}.done`, ...place, arguments: text }],
  })
}

function placeOf(prefix: string, at: number, content: unknown): Place {
  return { item_id: mintId(prefix, at, content), output_index: at }
}

function renderPart(
  { index, part, text, type, onPart, onText }: PartWords,
  pieces: readonly string[],
  itemPlace: Place,
): Pick<OutputItem, 'opening' | 'closing'> & { readonly parts: readonly Json[] } {
  if (pieces.length === 0) return { opening: [], closing: [], parts: [] }
  const place = { ...itemPlace, [index]: 0 }
  const whole = pieces.join('')
  const last = { type, ...onPart, text: whole }
  return {
    opening: [
      { type: `${part}.added`, ...place, part: { ...last, text: '' } },
      ...pieces.map((delta) => ({ type: `${text}.delta`, ...place, delta, ...onText })),
    ],
    closing: [
      { type: `${text}.done`, ...place, text: whole, ...onText },
      { type: `${part}.done`, ...place, part: last },
    ],
    parts: [last],
  }
}

function toItem(
  { output_index }: Place,
  { bare, item, opening, closing }: OutputItem & { bare: Json },
): OutputItem {
  return {
    opening: [{ type: 'response.output_item.added', output_index, item: bare }, ...opening],
    closing: [...closing, { type: 'response.output_item.done', output_index, item }],
    item,
  }
}

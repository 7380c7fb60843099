import type { JsonObject } from 'dsh-llm'
import { isObject, textOf, type WireFunction, type WireToolCall } from './wire.ts'

/** One tool call as the wire tells it, piece by piece. */
export class WireCall {
  /** The key by which the chunk writer knows it, and its place in order of appearance. */
  readonly key: number
  /** The first id the wire gave. */
  wireId: string | undefined
  name = ''
  /** A first `{}` that may turn out to be a placeholder. */
  placeholder = ''
  /** Whether the chunk writer has been told of it. */
  told = false
  /** Whether its argument text so far ends like a whole object. */
  endsLikeObject = false
  /** The provider's own fields that must travel back with it. */
  extraContent: JsonObject | undefined
  blockIndex = -1

  constructor(key: number) {
    this.key = key
  }

  /** Whether its block is open, with an id and a name that no later piece changes (R5). */
  get isFinal(): boolean {
    return this.blockIndex >= 0
  }
}

/** One entry of `tool_calls`, read; empty texts count as absent. */
export interface CallPiece {
  readonly index: number | undefined
  readonly id: string | undefined
  readonly name: string | undefined
  readonly arguments: string
  readonly extraContent: JsonObject | undefined
}

/** Reads one entry; anything but an object gives `undefined`. */
export function readCallPiece(entry: unknown): CallPiece | undefined {
  if (!isObject(entry)) return undefined
  const call: WireToolCall = entry
  const body = call.function ?? call.custom
  const fields: WireFunction = isObject(body) ? body : {}
  return {
    index: toIndex(call.index),
    id: textOf(call.id),
    name: textOf(fields.name),
    arguments: toArgumentText(fields.arguments ?? fields.input),
    extraContent: isObject(call.extra_content) ? (call.extra_content as JsonObject) : undefined,
  }
}

/** A number in quotes is one too. */
function toIndex(value: unknown): number | undefined {
  if (typeof value === 'string' && /^\d{1,9}$/.test(value)) return Number(value)
  return typeof value === 'number' ? value : undefined
}

/** Some servers send the arguments as the object itself (agreed answer 4). */
function toArgumentText(value: unknown): string {
  if (typeof value === 'string') return value
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : ''
}

/**
 * Finds out which call a piece belongs to: by its wire index, else by its id, else by its position within the delta
 * (agreed answer 3).
 */
export class CallIdentity {
  readonly #byIndex = new Map<number, WireCall>()
  readonly #byId = new Map<string, WireCall>()
  readonly #byPosition: WireCall[] = []
  #last: WireCall | undefined
  #count = 0

  /** The call of a piece, a new one if it belongs to none; `position` is its place within the delta. */
  find(piece: CallPiece, position: number): WireCall {
    const known = this.#known(piece, position)
    const call = known === undefined || startsAnother(piece, known) ? this.#begin() : known
    if (piece.index !== undefined && call !== known) this.#byIndex.set(piece.index, call)
    if (piece.id !== undefined) this.#byId.set(piece.id, call)
    this.#byPosition[position] = call
    this.#last = call
    return call
  }

  #known(piece: CallPiece, position: number): WireCall | undefined {
    if (piece.index !== undefined) return this.#byIndex.get(piece.index)
    if (piece.id !== undefined) {
      // An unknown id without a name heads no call: some gateways make up a new one for every piece.
      return this.#byId.get(piece.id) ?? (piece.name === undefined ? this.#last : undefined)
    }
    return this.#byPosition[position] ?? (piece.name === undefined ? this.#last : undefined)
  }

  #begin(): WireCall {
    const call = new WireCall(this.#count)
    this.#count += 1
    return call
  }
}

/** Whether a piece for a used index or position is the head of another call. */
function startsAnother(piece: CallPiece, known: WireCall): boolean {
  if (piece.name === undefined) return false
  if (piece.id !== undefined && known.wireId !== undefined) return piece.id !== known.wireId
  if (known.name === '' || (!known.told && known.placeholder === '')) return false
  // One of them has no id, so nothing but the name and a second whole object tells them apart.
  return piece.name !== known.name || (known.endsLikeObject && piece.arguments.trimStart().startsWith('{'))
}

import type { JsonObject } from 'dsh-llm'
import { isObject, textOf } from './wire.ts'

type Entry = Record<string, JsonObject[string]>

/** Collects `reasoning_details`, so that the whole array can be echoed unchanged. Linear in the pieces received. */
export class ReasoningDetails {
  readonly #entries: Entry[] = []
  readonly #byPlace = new Map<string, Entry>()

  /** The entries so far, pieces merged. */
  get entries(): readonly JsonObject[] {
    return this.#entries
  }

  /** Adds the array of one delta and gives the plain text in it. */
  add(details: readonly unknown[]): string {
    let text = ''
    for (const detail of details) {
      if (!isObject(detail)) continue
      const piece = detail as JsonObject
      text += textOf(piece['text']) ?? textOf(piece['summary']) ?? ''
      this.#merge(piece)
    }
    return text
  }

  /** Pieces with the same type and index continue one entry. */
  #merge(piece: JsonObject): void {
    const place = JSON.stringify([piece['type'], piece['index']])
    const known = this.#byPlace.get(place)
    // Encrypted parts are whole; two of them in one place are two entries.
    if (known === undefined || (known['data'] !== undefined && piece['data'] !== undefined)) {
      const entry = { ...piece }
      this.#entries.push(entry)
      this.#byPlace.set(place, entry)
    } else mergeInto(known, piece)
  }
}

/** Text pieces continue each other; any other field of a later piece replaces the earlier value. */
function mergeInto(entry: Entry, piece: JsonObject): void {
  for (const [field, value] of Object.entries(piece)) {
    const earlier = entry[field]
    const grows =
      (field === 'text' || field === 'summary') && typeof earlier === 'string' && typeof value === 'string'
    if (grows) entry[field] = earlier + value
    else if (value !== null && value !== undefined) entry[field] = value
  }
}

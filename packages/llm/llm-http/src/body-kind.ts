/** What the beginning of a body shows it to be; `open` while more bytes are needed to tell. */
export type BodyKind = 'events' | 'json' | 'other' | 'open'

const fieldStarts = ['data:', 'event:', 'id:', 'retry:', ':']
const blankBytes = new Set([0x09, 0x0a, 0x0d, 0x20, 0xef, 0xbb, 0xbf])
const ENOUGH_BYTES = 16

/**
 * Tells events from JSON by the first bytes that are not blank, because content types lie: a JSON error comes as
 * `text/event-stream`, events come as `text/plain` or with no type at all.
 */
export class BodyKindDetector {
  readonly #saysEvents: boolean
  #start = ''

  constructor(contentType: string | undefined) {
    this.#saysEvents = /^\s*text\/event-stream\b/i.test(contentType ?? '')
  }

  /** Looks at the next bytes of the body. */
  add(piece: Uint8Array): BodyKind {
    const from = this.#start === '' ? piece.findIndex((byte) => !blankBytes.has(byte)) : 0
    if (from >= 0) this.#start += String.fromCharCode(...piece.subarray(from, from + ENOUGH_BYTES))
    return this.#kind()
  }

  #kind(): BodyKind {
    const start = this.#start
    if (start === '') return 'open'
    if (start.startsWith('{') || start.startsWith('[')) return 'json'
    if (start.startsWith('<')) return 'other'
    if (this.#saysEvents || fieldStarts.some((field) => start.startsWith(field))) return 'events'
    return fieldStarts.some((field) => field.startsWith(start)) ? 'open' : 'other'
  }
}

import type { Exchange } from './exchange.ts'
import { tooLarge } from './read-body.ts'
import { type ServerEvent, SseDecoder } from './sse-decoder.ts'

const LINE_FEED = 0x0a
const CARRIAGE_RETURN = 0x0d

/** A piece of the bytes. */
export interface Segment {
  /** The index behind it. */
  readonly end: number
  /** Whether no event goes on behind it. */
  readonly isWhole: boolean
}

/**
 * Tells of the events in bytes that somebody else will read. It cuts the bytes behind each blank line, where events
 * end, so that what was told before a failure does not depend on how the network cut them.
 */
export class EventWatch {
  readonly #exchange: Exchange
  readonly #decoder: SseDecoder
  readonly #onEvent: ((event: ServerEvent) => void) | undefined
  #lineIsBlank = true

  constructor(exchange: Exchange, onEvent: ((event: ServerEvent) => void) | undefined) {
    this.#exchange = exchange
    this.#decoder = new SseDecoder(exchange.request.limits.maxEventBytes)
    this.#onEvent = onEvent
  }

  /**
   * Tells of the events that end with the next segment and gives it. Throws what the listener throws, and
   * `RESPONSE_TOO_LARGE`.
   */
  next(bytes: Uint8Array, from: number): Segment {
    const blankEnd = this.#blankEnd(bytes, from)
    const end = blankEnd ?? bytes.length
    const events = this.#decoder.decode([bytes.subarray(from, end)])
    this.#tell(events)
    if (this.#decoder.overflowed) throw tooLarge(this.#exchange, 'One event')
    return { end, isWhole: blankEnd !== undefined || events.length > 0 }
  }

  /** The bytes are at their end: tells of a last event without its blank line, and whether there was one. */
  end(): boolean {
    const events = this.#decoder.end()
    this.#tell(events)
    return events.length > 0
  }

  #tell(events: readonly ServerEvent[]): void {
    for (const event of events) this.#onEvent?.(event)
  }

  // Lines that end in a carriage return alone are not looked for: nobody sends them, and they are only cut less finely.
  #blankEnd(bytes: Uint8Array, from: number): number | undefined {
    let lineStart = from
    for (let at = bytes.indexOf(LINE_FEED, from); at !== -1; at = bytes.indexOf(LINE_FEED, lineStart)) {
      const isBlank = this.#lineIsBlank && isBlankLine(bytes, lineStart, at)
      this.#lineIsBlank = true
      if (isBlank) return at + 1
      lineStart = at + 1
    }
    this.#lineIsBlank &&= isBlankLine(bytes, lineStart, bytes.length)
    return undefined
  }
}

function isBlankLine(bytes: Uint8Array, from: number, to: number): boolean {
  for (let at = from; at < to; at += 1) if (bytes[at] !== CARRIAGE_RETURN) return false
  return true
}

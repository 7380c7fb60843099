import { isJsonText } from 'dsh-llm'
import { createParser, type EventSourceParser } from 'eventsource-parser'

/** One server-sent event with non-blank data. */
export interface ServerEvent {
  /** Absent when the server named none. */
  readonly event?: string | undefined
  readonly data: string
}

const STREAM: TextDecodeOptions = { stream: true }

const NO_EVENTS: readonly ServerEvent[] = Object.freeze([])

/**
 * Turns network reads into events: UTF-8 and lines may be cut anywhere, comments and events without data leave nothing
 * behind. Memory is bounded by `maxEventBytes`, counted in decoded characters, of which a byte gives at most one.
 */
export class SseDecoder {
  // The parser takes the BOM away; the decoder only keeps characters whole that a read cut apart.
  readonly #utf8: TextDecoder = new TextDecoder('utf-8', { ignoreBOM: true })
  readonly #parser: EventSourceParser
  readonly #maxEventBytes: number
  #events: ServerEvent[] = []
  #overflowed = false

  constructor(maxEventBytes: number) {
    this.#maxEventBytes = maxEventBytes
    this.#parser = createParser({
      maxBufferSize: maxEventBytes,
      onEvent: (event) => this.#accept(event),
      onError: (error) => {
        if (error.type === 'max-buffer-size-exceeded') this.#overflowed = true
      },
    })
  }

  /** Whether an event grew beyond the limit; nothing is decoded any more then. */
  get overflowed(): boolean {
    return this.#overflowed
  }

  /** The events that became complete with these bytes, in order. */
  decode(pieces: readonly Uint8Array[]): readonly ServerEvent[] {
    for (const piece of pieces) {
      if (!this.#overflowed) this.#parser.feed(this.#utf8.decode(piece, STREAM))
    }
    return this.#take()
  }

  /** The end of the bytes: a last event without its blank line counts if its data is complete. */
  end(): readonly ServerEvent[] {
    if (this.#overflowed) return NO_EVENTS
    this.#parser.feed(`${this.#utf8.decode()}\n\n`)
    return this.#take().filter((event) => isComplete(event.data))
  }

  #accept(event: ServerEvent): void {
    if (event.data.length > this.#maxEventBytes) this.#overflowed = true
    else if (!this.#overflowed && !isBlank(event.data)) this.#events.push(event)
  }

  #take(): readonly ServerEvent[] {
    if (this.#events.length === 0) return NO_EVENTS
    const events = this.#events
    this.#events = []
    return events
  }
}

function isBlank(data: string): boolean {
  return !(data.charCodeAt(0) > 0x20) && data.trim() === ''
}

function isComplete(data: string): boolean {
  return data.trim() === '[DONE]' || isJsonText(data)
}

import type { Exchange } from './exchange.ts'
import { tooLarge } from './read-body.ts'
import { type ServerEvent, SseDecoder } from './sse-decoder.ts'
import type { ResponseHeaders } from './transport.ts'

/** The answer to one request, open until it is read to its end, finished, closed, aborted or failed. */
export interface EventStream {
  readonly status: number
  readonly headers: ResponseHeaders
  readonly requestId?: string | undefined
  /** The whole body, parsed, when the server answered with JSON instead of events; `read` then gives the end. */
  readonly json?: unknown
  /**
   * All events of the next network read that has any, in order; never an empty list, `undefined` at the end of the
   * bytes or after `close`. Rejects with the call's `LlmError`, and again with the same one. One read at a time.
   */
  read(): Promise<readonly ServerEvent[] | undefined>
  /** What was read last held content: the limit between contents starts afresh. For requests that say `tellsContent`. */
  sawContent(): void
  /**
   * The caller has seen the protocol's own end marker. Never waits: the connection is kept for reuse if the server
   * ends its answer shortly, else closed.
   */
  finish(): void
  /** Leaves the answer and closes the connection. Safe at any time, any number of times. */
  close(): void
  /** Masks the call's secrets in a text, for messages that quote the provider. */
  redact(text: string): string
}

type Events = readonly ServerEvent[] | undefined

/** The event stream of an exchange; owns it. */
export class HttpEventStream implements EventStream {
  readonly status: number
  readonly headers: ResponseHeaders
  readonly requestId: string | undefined
  readonly json: unknown
  readonly #exchange: Exchange
  readonly #decoder: SseDecoder
  readonly #tellsContent: boolean
  #begun: readonly Uint8Array[]
  #ended = false

  constructor(exchange: Exchange, options: HttpEventStreamOptions) {
    this.status = exchange.status
    this.headers = exchange.headers
    this.requestId = exchange.requestId
    this.json = options.json
    this.#exchange = exchange
    this.#decoder = new SseDecoder(exchange.request.limits.maxEventBytes)
    this.#tellsContent = options.tellsContent === true
    this.#begun = options.begun ?? []
  }

  // Nearly every read has events, so the loop for those that have none, with its own promises, stands aside.
  read(): Promise<readonly ServerEvent[] | undefined> {
    const begun = this.#takeBegun()
    if (begun !== undefined) return Promise.resolve(begun).then(this.#decodeOrReadOn)
    return this.#ended ? this.#readOn() : this.#exchange.read().then(this.#decodeOrReadOn)
  }

  sawContent(): void {
    this.#exchange.sawContent()
  }

  finish(): void {
    this.#ended = true
    this.#exchange.finish()
  }

  close(): void {
    this.#ended = true
    this.#exchange.close()
  }

  redact(text: string): string {
    return this.#exchange.request.redact(text)
  }

  /** The bytes that showed the kind of the body come first. */
  #takeBegun(): readonly Uint8Array[] | undefined {
    const begun = this.#begun
    if (this.#ended || begun.length === 0 || this.#exchange.hasFailed) return undefined
    this.#begun = []
    return begun
  }

  readonly #decodeOrReadOn = (pieces: readonly Uint8Array[] | undefined): Events | Promise<Events> => {
    const events = this.#decode(pieces)
    return events.length > 0 ? events : this.#readOn()
  }

  async #readOn(): Promise<Events> {
    while (!this.#ended) {
      const events = this.#decode(await this.#exchange.read())
      if (events.length > 0) return events
    }
    // Only the failure of the call is left to be told.
    await this.#exchange.read()
    return undefined
  }

  #decode(pieces: readonly Uint8Array[] | undefined): readonly ServerEvent[] {
    // It may have been left while the read was pending.
    if (this.#ended) return []
    const events = pieces === undefined ? this.#end() : this.#decoder.decode(pieces)
    if (events.length > 0 && !this.#tellsContent) this.#exchange.sawContent()
    // What came before the event that is too large is delivered; the next read tells of the failure.
    if (this.#decoder.overflowed) this.#overflow()
    return events
  }

  #end(): readonly ServerEvent[] {
    this.#ended = true
    return this.#decoder.end()
  }

  #overflow(): void {
    this.#ended = true
    this.#exchange.fail(tooLarge(this.#exchange, 'One event'))
  }
}

/** What opening an answer has shown of it. */
export interface HttpEventStreamOptions {
  /** Bytes of the body that were read already. */
  readonly begun?: readonly Uint8Array[] | undefined
  readonly json?: unknown
  readonly tellsContent?: boolean | undefined
}

import { concatBytes } from './concat-bytes.ts'
import { EventWatch } from './event-watch.ts'
import type { Exchange } from './exchange.ts'
import type { ServerEvent } from './sse-decoder.ts'

type Controller = ReadableStreamDefaultController<Uint8Array>

/** What a body is read from, and who hears of it. */
export interface CallBodyOptions {
  /** Bytes of the body that were read already. */
  readonly begun: readonly Uint8Array[]
  /** Waits until reading is allowed. */
  readonly passage: () => Promise<void>
  readonly onEvent?: ((event: ServerEvent) => void) | undefined
  /** Told of what a listener threw and of an event that is too large; gives the error that ends the call. */
  readonly onFault: (thrown: unknown) => Error
}

/** Ends an event, also behind a line that nobody ended. */
const blankLine = new Uint8Array([0x0a, 0x0a])
const lineFeed = new Uint8Array([0x0a])
const carriageReturn = new Uint8Array([0x0d])

/** Parsers take longer for one large chunk than for the same bytes in several. */
const maxChunkBytes = 65_536

/**
 * The bytes of an answer as a stream for somebody else: what is read for a pull is given at once, nothing is read ahead,
 * and an event is given when it is whole: most parsers look through all of an unfinished one again at each read.
 */
export class CallBody {
  readonly stream: ReadableStream<Uint8Array>
  readonly #exchange: Exchange
  readonly #options: CallBodyOptions
  readonly #watch: EventWatch
  #begun: readonly Uint8Array[]
  #controller: Controller | undefined
  /** Pieces of an event that is not whole yet. */
  #held: Uint8Array[] = []
  #heldBytes = 0
  #isWaiting = false
  /** The last byte was the first half of a line end, or a whole one. */
  #isReturnHeld = false
  #isOver = false
  #isFinished = false

  constructor(exchange: Exchange, options: CallBodyOptions) {
    this.#exchange = exchange
    this.#options = options
    this.#watch = new EventWatch(exchange, options.onEvent)
    this.#begun = options.begun
    this.stream = new ReadableStream<Uint8Array>(
      {
        start: (controller) => void (this.#controller = controller),
        pull: (controller) => this.#pull(controller),
        cancel: () => this.#cancel(),
      },
      { highWaterMark: 0 },
    )
  }

  /** The end marker was seen: the stream ends behind it, at once if a pull waits. */
  finish(): void {
    this.#isFinished = true
    if (this.#isOver || !this.#isWaiting) return
    this.#isOver = true
    this.#controller?.close()
  }

  // A rejection makes the stream fail with the same error.
  async #pull(controller: Controller): Promise<void> {
    // A pull that hands on nothing would be the last one.
    for (let isFed = false; !isFed && !this.#isOver;) {
      this.#isWaiting = true
      const bytes = await this.#read()
      this.#isWaiting = false
      if (this.#isOver) return
      if (bytes === undefined) return this.#end(controller)
      isFed = this.#pass(bytes, controller)
    }
  }

  async #read(): Promise<Uint8Array | undefined> {
    await this.#options.passage()
    const begun = this.#begun
    this.#begun = []
    if (begun.length > 0 && !this.#isFinished && !this.#exchange.hasFailed) return concatBytes(begun)
    const pieces = await this.#exchange.read()
    return pieces === undefined ? undefined : concatBytes(pieces)
  }

  /** Hands on whole events that were told without a fault, up to the end marker; says whether that was anything. */
  #pass(bytes: Uint8Array, controller: Controller): boolean {
    let isFed = false
    let given = 0
    let whole = 0
    const giveWhole = (): void => {
      if (whole === given) return
      isFed = this.#give(bytes.subarray(given, whole), controller) || isFed
      given = whole
    }
    try {
      for (let told = 0; told < bytes.length && !this.#isFinished && !this.#exchange.hasFailed;) {
        const { end, isWhole } = this.#watch.next(bytes, told)
        told = end
        if (isWhole) whole = end
        if (whole - given >= maxChunkBytes) giveWhole()
      }
    } catch (thrown) {
      giveWhole()
      throw this.#options.onFault(thrown)
    }
    giveWhole()
    return this.#hold(bytes.subarray(given), controller) || isFed
  }

  /** Keeps the beginning of an event. Comments without end are no event, so they are not kept for ever. */
  #hold(bytes: Uint8Array, controller: Controller): boolean {
    if (bytes.length === 0 || this.#isFinished) return false
    this.#held.push(bytes)
    this.#heldBytes += bytes.length
    if (this.#heldBytes <= this.#exchange.request.limits.maxEventBytes) return false
    return this.#give(new Uint8Array(), controller)
  }

  /** Hands on bytes, and what was kept before them. */
  #give(bytes: Uint8Array, controller: Controller): boolean {
    const held = this.#held
    this.#held = []
    this.#heldBytes = 0
    return this.#enqueue(held.length === 0 ? bytes : concatBytes([...held, bytes]), controller)
  }

  /**
   * Never gives the first half of a line end: some parsers take what follows for another line. A plain array over the
   * same memory: what Node's own buffers do beyond it is no business of a library for the web.
   */
  #enqueue(bytes: Uint8Array, controller: Controller): boolean {
    const { buffer, byteOffset, length } = this.#isReturnHeld ? concatBytes([carriageReturn, bytes]) : bytes
    const whole = new Uint8Array(buffer, byteOffset, length)
    this.#isReturnHeld = whole.at(-1) === carriageReturn[0]
    const given = this.#isReturnHeld ? whole.subarray(0, -1) : whole
    // A listener may have made the library cancel.
    if (given.length === 0 || this.#isOver) return false
    controller.enqueue(given)
    return true
  }

  #end(controller: Controller): void {
    this.#give(new Uint8Array(), controller)
    try {
      // Many parsers drop a last event without its blank line; whole as it is, it counts.
      if (!this.#isFinished && this.#watch.end()) this.#enqueue(blankLine, controller)
      else if (this.#isReturnHeld) this.#enqueue(lineFeed, controller)
    } catch (thrown) {
      throw this.#options.onFault(thrown)
    }
    if (this.#isOver) return
    this.#isOver = true
    controller.close()
  }

  #cancel(): void {
    this.#isOver = true
    // Once finished it looks after itself.
    this.#exchange.close()
  }
}

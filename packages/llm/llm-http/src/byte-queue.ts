/** The source of a queue, held back while nobody takes what it gives. */
export interface ByteQueueFlow {
  /** More than enough is waiting: hold the source back. */
  pause(): void
  /** Everything was taken: let the source go on. */
  resume(): void
}

interface Reader {
  resolve(pieces: readonly Uint8Array[] | undefined): void
  reject(reason: unknown): void
}

// A reaction of it runs as a microtask does, without what `queueMicrotask` sets up for each call on Node.
const resolved = Promise.resolve()

const HIGH_WATER_BYTES = 256 * 1024

/**
 * Bytes pushed by a connection and pulled by one reader. A read takes everything there is; an error or the end comes
 * after the bytes before it. What is pushed after the end is dropped.
 */
export class ByteQueue {
  readonly #flow: ByteQueueFlow
  #pieces: Uint8Array[] = []
  #byteLength = 0
  #paused = false
  #over = false
  #error: { readonly reason: unknown } | undefined
  #reader: Reader | undefined
  #waking = false

  constructor(flow: ByteQueueFlow) {
    this.#flow = flow
  }

  /** Never waits; beyond the high-water mark the source is asked to. */
  push(piece: Uint8Array): void {
    if (this.#over || piece.length === 0) return
    this.#pieces.push(piece)
    this.#byteLength += piece.length
    if (this.#byteLength > HIGH_WATER_BYTES && !this.#paused) {
      this.#paused = true
      this.#flow.pause()
    }
    this.#wakeSoon()
  }

  /** No more bytes come. */
  end(): void {
    this.#over = true
    this.#wakeSoon()
  }

  /** The connection broke: told by the reads that find nothing left to take. */
  fail(reason: unknown): void {
    if (this.#over) return
    this.#error = { reason }
    this.end()
  }

  /** Drops what is waiting; reads give the end from now on. */
  close(): void {
    this.#pieces = []
    this.#error = undefined
    this.end()
  }

  /** Everything that has been pushed since the last read; `undefined` at the end. One read at a time. */
  read(): Promise<readonly Uint8Array[] | undefined> {
    return new Promise(this.#keepReader)
  }

  readonly #keepReader = (resolve: Reader['resolve'], reject: Reader['reject']): void => {
    this.#reader = { resolve, reject }
    if (this.#pieces.length > 0 || this.#over) this.#answer()
  }

  // A read that waits takes its bytes only a moment later, so one network read of many HTTP chunks is one read here.
  #wakeSoon(): void {
    if (this.#reader === undefined || this.#waking) return
    this.#waking = true
    void resolved.then(this.#wake)
  }

  readonly #wake = (): void => {
    this.#waking = false
    this.#answer()
  }

  #answer(): void {
    const reader = this.#reader
    this.#reader = undefined
    if (this.#pieces.length > 0) reader?.resolve(this.#take())
    else if (this.#error !== undefined) reader?.reject(this.#error.reason)
    else reader?.resolve(undefined)
  }

  #take(): readonly Uint8Array[] {
    const pieces = this.#pieces
    this.#pieces = []
    this.#byteLength = 0
    if (this.#paused) {
      this.#paused = false
      this.#flow.resume()
    }
    return pieces
  }
}

import { type LlmFailure, normaliseFailure, type StreamChunk } from 'dsh-llm'

/** Where the events of one answer come from, such as an `EventStream`. */
export interface AnswerEvents<Event> {
  /** The whole answer, when it came without events. */
  readonly json?: unknown
  /** The next events, never an empty list; `undefined` at the end. */
  read(): Promise<readonly Event[] | undefined>
  /** What was read last gave content. */
  sawContent(): void
  /** The translator has seen the end of the answer. */
  finish(): void
  /** Leaves the answer. Any time, any number of times. */
  close(): void
}

/** What the events of one answer mean; each method appends chunks to a list. */
export interface AnswerTranslator<Event> {
  /** Whether the finish was given out: nothing is read behind it. */
  readonly finished: boolean
  translate(events: readonly Event[], into: StreamChunk[]): void
  translateWhole?(json: unknown, into: StreamChunk[]): void
  /** The events have ended, by themselves or by a failure: gives the finish if none was given. */
  end(into: StreamChunk[], failure?: LlmFailure): void
}

/** An open answer and who reads it. */
export interface AnswerSource<Event> {
  readonly stream: AnswerEvents<Event>
  readonly translator: AnswerTranslator<Event>
}

type Step = IteratorResult<StreamChunk, undefined>

/**
 * The chunks of one call. Opens the connection at the first pull, then drains a buffer that each network read fills,
 * so a chunk costs no hop of its own. `return` closes the connection, also while it is being opened.
 */
export class AnswerStream<Event> implements AsyncIterableIterator<StreamChunk> {
  readonly #open: (signal: AbortSignal) => Promise<AnswerSource<Event>>
  readonly #signal: AbortSignal
  readonly #call = new AbortController()
  readonly #buffer: StreamChunk[] = []
  #at = 0
  #source: AnswerSource<Event> | undefined
  #ended = false
  #filling: Promise<Step> | undefined

  constructor(signal: AbortSignal, open: (signal: AbortSignal) => Promise<AnswerSource<Event>>) {
    this.#open = open
    this.#signal = signal
  }

  [Symbol.asyncIterator](): this {
    return this
  }

  next(): Promise<Step> {
    const step = this.#take()
    if (step !== undefined) return Promise.resolve(step)
    if (this.#filling !== undefined) return this.#nextAfterFilling()
    const filling = this.#fill()
    this.#filling = filling
    return filling
  }

  async return(): Promise<Step> {
    this.#end()
    this.#clear()
    this.#source?.stream.close()
    // While it is being opened there is nothing yet that could be closed.
    if (this.#source === undefined) this.#call.abort()
    return { done: true, value: undefined }
  }

  /** Two pulls at once share one read. */
  async #nextAfterFilling(): Promise<Step> {
    await this.#filling
    return this.next()
  }

  /** The next chunk of the buffer, which is emptied when it has been read; nothing if more may come. */
  #take(): Step | undefined {
    const value = this.#buffer[this.#at]
    if (value !== undefined) {
      this.#at += 1
      return { done: false, value }
    }
    this.#clear()
    return this.#ended ? { done: true, value: undefined } : undefined
  }

  #clear(): void {
    this.#buffer.length = 0
    this.#at = 0
  }

  /** Reads until there is a chunk, or the answer has ended. A failure before it began is thrown. */
  async #fill(): Promise<Step> {
    try {
      const source = (this.#source ??= await this.#begin())
      while (this.#buffer.length === 0 && !this.#ended) this.#translate(source, await source.stream.read())
    } catch (error) {
      this.#fail(error)
    } finally {
      this.#filling = undefined
    }
    return this.#take() ?? { done: true, value: undefined }
  }

  /** Opens the connection; an answer that came whole is translated at once. */
  async #begin(): Promise<AnswerSource<Event>> {
    this.#followSignal()
    const source = await this.#open(this.#call.signal)
    if (this.#ended) source.stream.close()
    else if (source.stream.json !== undefined)
      source.translator.translateWhole?.(source.stream.json, this.#buffer)
    this.#endWith(source)
    return source
  }

  #translate(source: AnswerSource<Event>, events: readonly Event[] | undefined): void {
    // The consumer may have left while the read was pending.
    if (this.#ended) return
    if (events === undefined) source.translator.end(this.#buffer)
    else source.translator.translate(events, this.#buffer)
    // Heartbeats come as events too: only what gives chunks is content for the time limits.
    if (this.#buffer.length > 0) source.stream.sawContent()
    this.#endWith(source)
  }

  /** At its end marker an answer is over, whatever the server does with the connection (it may be reused). */
  #endWith({ stream, translator }: AnswerSource<Event>): void {
    if (!translator.finished) return
    this.#end()
    stream.finish()
  }

  /** The signal ends the call as leaving does, while it is being opened too. */
  #followSignal(): void {
    if (this.#signal.aborted) this.#onAbort()
    else this.#signal.addEventListener('abort', this.#onAbort, { once: true })
  }

  readonly #onAbort = (): void => this.#call.abort(this.#signal.reason)

  /** No listener stays on the signal. */
  #end(): void {
    this.#ended = true
    this.#signal.removeEventListener('abort', this.#onAbort)
  }

  /** What came before the failure decides with it how the answer ends, so the translator is asked. */
  #fail(error: unknown): void {
    if (this.#ended) return
    this.#end()
    if (this.#source === undefined) throw error
    this.#source.stream.close()
    this.#source.translator.end(this.#buffer, normaliseFailure(error))
  }
}

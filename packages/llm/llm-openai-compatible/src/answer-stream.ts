import { normaliseFailure, type StreamChunk } from 'dsh-llm'
import type { EventStream, ServerEvent } from 'dsh-llm-http'
import type { Translator } from './translate.ts'

/** An open answer and who reads it. */
export interface AnswerSource {
  readonly stream: EventStream
  readonly translator: Translator
}

type Step = IteratorResult<StreamChunk, undefined>

/**
 * The chunks of one call. Opens the connection at the first pull, then drains a buffer that each network read fills,
 * so a chunk costs no hop of its own. `return` closes the connection, also while it is being opened.
 */
export class AnswerStream implements AsyncIterableIterator<StreamChunk> {
  readonly #open: (signal: AbortSignal) => Promise<AnswerSource>
  readonly #signal: AbortSignal
  readonly #call = new AbortController()
  readonly #buffer: StreamChunk[] = []
  #at = 0
  #source: AnswerSource | undefined
  #ended = false
  #filling: Promise<void> | undefined

  constructor(signal: AbortSignal, open: (signal: AbortSignal) => Promise<AnswerSource>) {
    this.#open = open
    this.#signal = signal
  }

  [Symbol.asyncIterator](): this {
    return this
  }

  next(): Promise<Step> {
    const chunk = this.#take()
    if (chunk !== undefined) return Promise.resolve({ done: false, value: chunk })
    if (this.#ended) return Promise.resolve({ done: true, value: undefined })
    return this.#refill()
  }

  async return(): Promise<Step> {
    this.#end()
    this.#clear()
    this.#source?.stream.close()
    this.#call.abort()
    return { done: true, value: undefined }
  }

  async #refill(): Promise<Step> {
    // Two pulls at once share one read.
    this.#filling ??= this.#fill()
    await this.#filling
    return this.next()
  }

  /** The next chunk of the buffer, which is emptied when it has been read. */
  #take(): StreamChunk | undefined {
    const chunk = this.#buffer[this.#at]
    if (chunk === undefined) this.#clear()
    else this.#at += 1
    return chunk
  }

  #clear(): void {
    this.#buffer.length = 0
    this.#at = 0
  }

  /** Reads until there is a chunk, or the answer has ended. A failure before it began is thrown. */
  async #fill(): Promise<void> {
    try {
      const source = (this.#source ??= await this.#begin())
      while (this.#buffer.length === 0 && !this.#ended) this.#translate(source, await source.stream.read())
    } catch (error) {
      this.#fail(error)
    } finally {
      this.#filling = undefined
    }
  }

  /** Opens the connection; an answer that came whole is translated at once. */
  async #begin(): Promise<AnswerSource> {
    this.#followSignal()
    const source = await this.#open(this.#call.signal)
    if (this.#ended) source.stream.close()
    else if (source.stream.json !== undefined)
      source.translator.translateWhole(source.stream.json, this.#buffer)
    this.#endWith(source)
    return source
  }

  #translate(source: AnswerSource, events: readonly ServerEvent[] | undefined): void {
    // The consumer may have left while the read was pending.
    if (this.#ended) return
    if (events === undefined) source.translator.end(this.#buffer)
    else source.translator.translate(events, this.#buffer)
    // Heartbeats come as events too: only what gives chunks is content for the time limits.
    if (this.#buffer.length > 0) source.stream.sawContent()
    this.#endWith(source)
  }

  /** At its end marker an answer is over, whatever the server does with the connection (it may be reused). */
  #endWith({ stream, translator }: AnswerSource): void {
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

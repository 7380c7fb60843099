import { abortable } from 'dsh-llm'
import type { CallFetch } from 'dsh-llm-http'
import type { AnswerEvents } from 'dsh-llm-openai-compatible'
import type { PiEvent } from './pi-api.ts'

/** What a reader of events does with the transport below. */
export type Transport = Pick<CallFetch, 'resume' | 'pause' | 'sawContent' | 'finish' | 'close'>

/**
 * The events of one call. pi-ai reads as fast as the network gives and queues without bounds, so the network gives only
 * while an event is waited for.
 */
export class PiEvents implements AnswerEvents<PiEvent> {
  readonly #events: AsyncIterator<PiEvent>
  readonly #transport: Transport
  readonly #controller: AbortController

  constructor(events: AsyncIterable<PiEvent>, transport: Transport, controller: AbortController) {
    this.#events = events[Symbol.asyncIterator]()
    this.#transport = transport
    this.#controller = controller
  }

  async read(): Promise<readonly PiEvent[] | undefined> {
    this.#transport.resume()
    try {
      // Not every SDK under pi-ai hears an abort while it waits.
      const { done, value } = await abortable(this.#events.next(), this.#controller.signal)
      return done === true ? undefined : [value]
    } finally {
      this.#transport.pause()
    }
  }

  sawContent(): void {
    this.#transport.sawContent()
  }

  finish(): void {
    this.#transport.finish()
    this.#abort()
  }

  close(): void {
    this.#transport.close()
    this.#abort()
  }

  /** Ends what pi-ai may still do for the call, and what it left on the signal. */
  #abort(): void {
    this.#controller.abort()
  }
}

import { abortError } from 'dsh-llm'
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
  /** Ends the read that waits; not every SDK under pi-ai hears an abort. */
  #reject: ((reason: unknown) => void) | undefined

  /** The controller is the call's own: it is aborted when the events are left. */
  constructor(events: AsyncIterable<PiEvent>, transport: Transport, controller: AbortController) {
    this.#events = events[Symbol.asyncIterator]()
    this.#transport = transport
    this.#controller = controller
    controller.signal.addEventListener('abort', this.#onAbort, { once: true })
  }

  read(): Promise<readonly PiEvent[] | undefined> {
    const { signal } = this.#controller
    if (signal.aborted) return Promise.reject(abortError(signal))
    this.#transport.resume()
    return new Promise((resolve, reject) => {
      this.#reject = reject
      this.#events.next().then(({ done, value }) => {
        this.#transport.pause()
        resolve(done === true ? undefined : [value])
      }, reject)
    })
  }

  sawContent(): void {
    this.#transport.sawContent()
  }

  finish(): void {
    this.#transport.finish()
    this.#controller.abort()
  }

  close(): void {
    this.#transport.close()
    this.#controller.abort()
  }

  readonly #onAbort = (): void => {
    this.#reject?.(abortError(this.#controller.signal))
  }
}

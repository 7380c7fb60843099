import type { InterruptSource } from './cli-host.ts'

/** Ctrl-C as the program understands it: it aborts what runs; with nothing left to abort it quits. */
export class Interrupts implements Disposable {
  /** Aborted when the program shall end at once, whatever still runs. */
  readonly quit: AbortSignal
  readonly #quit = new AbortController()
  readonly #unsubscribe: () => void
  #running: AbortController | undefined

  constructor(source: InterruptSource) {
    this.quit = this.#quit.signal
    this.#unsubscribe = source.onInterrupt(() => this.press())
  }

  /** One Ctrl-C. */
  press(): void {
    // The same key again means that the first press was not enough.
    if (this.#running === undefined || this.#running.signal.aborted) this.#quit.abort()
    else this.#running.abort('Ctrl-C')
  }

  /** Runs work that the next Ctrl-C aborts; the one after it quits, even if the work is deaf. */
  async guard<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const controller = new AbortController()
    this.#running = controller
    try {
      return await work(controller.signal)
    } finally {
      this.#running = undefined
    }
  }

  [Symbol.dispose](): void {
    this.#unsubscribe()
  }
}

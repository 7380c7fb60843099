/** Hears the first abort among some signals, and leaves no listener on any of them once it is released. */
export class AbortWatch {
  readonly #onAbort: () => void
  readonly #signals: AbortSignal[] = []

  constructor(onAbort: () => void) {
    this.#onAbort = onAbort
  }

  /** The signal that is aborted, the first one added if there are several. */
  get aborted(): AbortSignal | undefined {
    return this.#signals.find((signal) => signal.aborted)
  }

  /** Watches one more signal. One that is aborted already is kept, but calls nobody: ask `aborted`. */
  add(signal: AbortSignal | undefined): void {
    if (signal === undefined || this.#signals.includes(signal)) return
    this.#signals.push(signal)
    if (!signal.aborted) signal.addEventListener('abort', this.#onAbort, { once: true })
  }

  release(): void {
    for (const signal of this.#signals) signal.removeEventListener('abort', this.#onAbort)
  }
}

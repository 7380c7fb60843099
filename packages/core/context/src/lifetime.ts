import { HarnessError } from './harness-error.ts'
import { type Undo, undoAll } from './undo-all.ts'

/** Ends one registration early; a second call does nothing but return the first call's promise, if that had one. */
export type Disposer = () => void | Promise<void>

/**
 * Everything one run of a plugin has registered (C3). Ending an effect early costs O(1) and leaves nothing behind. A
 * plugin that stops and starts again gets a new lifetime: late code of the old run stays refused.
 */
export class Lifetime {
  readonly plugin: string
  /** What `ctx.dispose()` means for a context with this lifetime: more than `close` if something owns the lifetime. */
  readonly end: () => Promise<void>
  /** True while the loader runs the plugin; it starts and publishes the services made until then (C1). */
  isLoading = false
  readonly #effects: Set<Disposer> = new Set()
  #closing: Promise<void> | undefined

  constructor(plugin: string, end?: () => Promise<void>) {
    this.plugin = plugin
    this.end = end ?? (() => this.close())
  }

  /** True from the first moment of unloading. */
  get closed(): boolean {
    return this.#closing !== undefined
  }

  assertOpen(action: string): void {
    if (!this.closed) return
    const reason = `the context of "${this.plugin}" is disposed or unloading; use a context that is still alive`
    throw new HarnessError(`Could not ${action}: ${reason}`, 'CONTEXT_DISPOSED')
  }

  add(undo: Undo): Disposer {
    let isUndone = false
    let outcome: void | Promise<void>
    const dispose = (): void | Promise<void> => {
      // Nothing is undone twice, not even by an undo that calls its own disposer.
      if (isUndone) return outcome
      isUndone = true
      this.#effects.delete(dispose)
      outcome = undo()
      if (outcome === undefined) return
      // Listed again while pending, so that a disposal of the whole plugin waits for it too.
      this.#effects.add(dispose)
      outcome = outcome.finally(() => this.#effects.delete(dispose))
      return outcome
    }
    this.#effects.add(dispose)
    return dispose
  }

  /** Undoes in reverse order, `later` as if it had been registered last. Runs once; every caller gets the same promise. */
  close(later: readonly Undo[] = []): Promise<void> {
    if (this.#closing !== undefined) return this.#closing
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    // Set before anything is undone: an undo may look at `closed`, or close again.
    this.#closing = promise
    undoAll([...this.#effects, ...later], `"${this.plugin}"`).then(resolve, reject)
    return promise
  }
}

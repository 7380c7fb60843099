import { HarnessError } from './harness-error.ts'
import type { Provision } from './provision.ts'
import { collectFailure, throwFailures } from './undo-failures.ts'

/** Takes one registration back. Awaited when it returns a promise. */
export type Undo = () => void | Promise<void>

/** Ends one registration early; a second call does nothing but return the first call's promise, if that had one. */
export type Disposer = () => void | Promise<void>

interface Effect {
  /** Absent once it was called: nothing is undone twice, not even by an undo that calls its own disposer. */
  undo: Undo | undefined
  outcome: Promise<void> | undefined
}

/**
 * Everything one run of a plugin has registered (C3). Ending an effect early costs O(1) and leaves nothing behind. A
 * plugin that stops and starts again gets a new lifetime: late code of the old run stays refused.
 */
export class Lifetime {
  readonly plugin: string
  readonly provisions: Provision[] = []
  /** True while the loader is still running the plugin; it publishes what is provided until then. */
  loading = false
  readonly #effects: Set<Effect> = new Set()
  readonly #parent: Lifetime | undefined
  #closing: Promise<void> | undefined

  constructor(plugin: string, parent?: Lifetime) {
    this.plugin = plugin
    this.#parent = parent
  }

  /** True from the first moment of unloading. */
  get closed(): boolean {
    return this.#closing !== undefined
  }

  /** True for the other one itself and for everything loaded or extended under it. */
  isWithin(other: Lifetime): boolean {
    return this === other || this.#parent?.isWithin(other) === true
  }

  assertOpen(action: string): void {
    if (!this.closed) return
    const owner = `the context of "${this.plugin}" is disposed or unloading`
    throw new HarnessError(
      `Could not ${action}: ${owner}; use a context that is still alive`,
      'CONTEXT_DISPOSED',
    )
  }

  add(undo: Undo): Disposer {
    const effect: Effect = { undo, outcome: undefined }
    this.#effects.add(effect)
    return () => this.#undo(effect)
  }

  /** Withdraws the services, then undoes in reverse order. Runs once; every caller gets the same promise. */
  close(): Promise<void> {
    if (this.#closing !== undefined) return this.#closing
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    this.#closing = promise
    this.#undoAll().then(resolve, reject)
    return promise
  }

  /** Awaits only promises: what can be undone at once is undone before `close` returns. */
  async #undoAll(): Promise<void> {
    const failures: unknown[] = []
    for (const provision of this.provisions.toReversed()) {
      const leaving = provision.withdraw()
      if (leaving !== undefined) await leaving.catch((error: unknown) => collectFailure(failures, error))
    }
    for (const effect of [...this.#effects].toReversed()) {
      try {
        const outcome = this.#undo(effect)
        if (outcome !== undefined) await outcome
      } catch (error) {
        collectFailure(failures, error)
      }
    }
    throwFailures(failures, `"${this.plugin}"`)
  }

  #undo(effect: Effect): void | Promise<void> {
    const { undo } = effect
    if (undo === undefined) return effect.outcome
    effect.undo = undefined
    try {
      const outcome = undo()
      // Stays listed while pending, so that a disposal of the whole plugin waits for it too.
      if (outcome !== undefined) effect.outcome = outcome.finally(() => this.#effects.delete(effect))
    } finally {
      if (effect.outcome === undefined) this.#effects.delete(effect)
    }
    return effect.outcome
  }
}

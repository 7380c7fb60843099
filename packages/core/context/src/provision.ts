import type { Lifetime } from './lifetime.ts'
import type { Scope } from './scope.ts'
import type { Service } from './service.ts'
import { collectFailure, throwFailures } from './undo-failures.ts'

/** Something that starts and stops with the services it needs: a fiber. */
export interface Dependent {
  /** Looks at the services again, and starts or stops accordingly. */
  refresh(): void
  /** Unloads the present run; settles when its last undo is done. */
  stop(): Promise<void>
}

/**
 * One service under one key of one scope. `claimed` reserves the key, `published` may be injected, `withdrawing` may
 * still be read by the dependents that are being stopped, `withdrawn` is gone while the key stays taken (C1, C2).
 */
export class Provision {
  readonly key: string
  readonly service: Service
  readonly owner: Lifetime
  readonly dependents: Set<Dependent> = new Set()
  readonly #scope: Scope
  #state: 'claimed' | 'published' | 'withdrawing' | 'withdrawn' = 'claimed'

  constructor(scope: Scope, claim: { key: string; service: Service; owner: Lifetime }) {
    this.#scope = scope
    this.key = claim.key
    this.service = claim.service
    this.owner = claim.owner
  }

  get readable(): boolean {
    return this.#state === 'published' || this.#state === 'withdrawing'
  }

  get injectable(): boolean {
    return this.#state === 'published'
  }

  publish(): void {
    if (this.#state !== 'claimed') return
    this.#state = 'published'
    this.#scope.changed()
  }

  /** Stops all dependents, the latest first, and waits for them; only then does the service become unreadable. */
  withdraw(): Promise<void> | undefined {
    const wasPublished = this.#state === 'published'
    this.#state = wasPublished && this.dependents.size > 0 ? 'withdrawing' : 'withdrawn'
    if (this.#state === 'withdrawing') return this.#stopDependents()
    if (wasPublished) this.#scope.changed()
    return undefined
  }

  async #stopDependents(): Promise<void> {
    const failures: unknown[] = []
    const stops = [...this.dependents].toReversed().map((dependent) => dependent.stop())
    for (const stop of await Promise.allSettled(stops)) {
      if (stop.status === 'rejected') collectFailure(failures, stop.reason)
    }
    this.#state = 'withdrawn'
    this.#scope.changed()
    throwFailures(failures, `the plugins that use "${this.key}"`)
  }
}

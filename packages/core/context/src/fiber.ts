import { parseConfig } from './config.ts'
import type { Context } from './context.ts'
import { isHarnessError } from './harness-error.ts'
import { type Disposer, Lifetime } from './lifetime.ts'
import { announce, isThenable } from './observers.ts'
import type { ParsedPlugin } from './plugin.ts'
import type { Dependent, Provision } from './provision.ts'
import type { Scope } from './scope.ts'

/** `waiting`, `active`, `failed` and `disposed` are at rest; the other two lead to one of them. */
export type FiberState = 'waiting' | 'loading' | 'active' | 'unloading' | 'failed' | 'disposed'

/** Where a fiber lives, and how it gets the context of each run. */
export interface FiberHome {
  readonly scope: Scope
  readonly parent: Lifetime
  readonly createContext: (lifetime: Lifetime, end: () => Promise<void>) => Context
}

/**
 * A loaded plugin. Awaiting it gives nothing and settles when it is active, waits for a service or is disposed;
 * it rejects if loading failed. A failure nobody awaits still reaches `internal/error` (C2).
 */
export class Fiber implements Dependent, PromiseLike<void> {
  readonly name: string
  readonly #plugin: ParsedPlugin
  readonly #home: FiberHome
  readonly #remove: Disposer
  #config: unknown
  #isConfigured = false
  #isEnded = false
  #state: FiberState = 'loading'
  #rest: PromiseWithResolvers<void> = Promise.withResolvers()
  #lifetime: Lifetime | undefined
  #stopping: Promise<void> | undefined
  /** What the present run, or the failed one, was started with. */
  #uses: readonly Provision[] = []
  #failure: { readonly error: unknown } | undefined

  constructor(plugin: ParsedPlugin, config: unknown, home: FiberHome) {
    this.name = plugin.name
    this.#plugin = plugin
    this.#home = home
    this.#remove = home.parent.add(() => this.#end())
    void this.#configure(config)
  }

  get state(): FiberState {
    return this.#state
  }

  /** The needed services that nobody provides at the moment, in the order of `inject`. */
  get missing(): readonly string[] {
    return this.#plugin.inject.filter((key) => this.#find(key) === undefined)
  }

  /**
   * Unloads the plugin for good. Settles when its last undo is done and rejects with an `AggregateError` if some
   * failed; an `apply` that is still running is not waited for, since its context refuses everything from now on.
   */
  async dispose(): Promise<void> {
    await this.#remove()
  }

  then<A = void, B = never>(
    onActive?: ((value: void) => A | PromiseLike<A>) | null,
    onFailed?: ((reason: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    return this.#settled().then(onActive, onFailed)
  }

  refresh(): void {
    if (!this.#isConfigured || this.#isEnded || this.#lifetime?.closed === true) return
    const uses = this.#plugin.inject.map((key) => this.#find(key)).filter((use) => use !== undefined)
    const isSame = isSameList(uses, this.#uses)
    if (this.#lifetime !== undefined) {
      // A nearer scope may have got its own service under a key that is in use.
      if (!isSame) this.stop().catch((error: unknown) => this.#announce(error))
    } else if (uses.length < this.#plugin.inject.length) {
      this.#failure = undefined
      this.#settle('waiting')
    } else if (this.#failure === undefined || !isSame) {
      void this.#start(uses)
    } else {
      this.#settle('failed')
    }
  }

  stop(): Promise<void> {
    const lifetime = this.#lifetime
    if (lifetime === undefined) return Promise.resolve()
    if (lifetime.closed) return this.#stopping ?? lifetime.close()
    this.#enter('unloading')
    this.#stopping = lifetime.close().finally(() => this.#unloaded())
    return this.#stopping
  }

  async #configure(config: unknown): Promise<void> {
    try {
      const parsed = parseConfig(this.#plugin, config)
      this.#config = isThenable(parsed) ? await parsed : parsed
    } catch (error) {
      this.#failure = { error }
      if (!this.#isEnded) this.#settle('failed')
      this.#announce(error)
      return
    }
    if (this.#isEnded) return
    this.#isConfigured = true
    if (this.#plugin.inject.length > 0) this.#home.scope.dependents.add(this)
    this.refresh()
  }

  async #start(uses: readonly Provision[]): Promise<void> {
    const lifetime = new Lifetime(this.name, this.#home.parent)
    this.#lifetime = lifetime
    this.#uses = uses
    this.#failure = undefined
    for (const use of uses) use.dependents.add(this)
    this.#enter('loading')
    try {
      await this.#load(lifetime)
    } catch (error) {
      await this.#fail(lifetime, error)
    }
  }

  /** Awaits only what is a promise: a plugin that loads at once is active before `ctx.plugin` returns. */
  async #load(lifetime: Lifetime): Promise<void> {
    lifetime.loading = true
    const context = this.#home.createContext(lifetime, () => this.#endFrom(lifetime))
    const applying = this.#plugin.load(context, this.#config)
    if (isThenable(applying)) await applying
    for (const provision of lifetime.provisions) {
      if (lifetime.closed) return
      const starting = provision.service.start?.()
      if (starting !== undefined) await starting
      provision.publish()
    }
    lifetime.loading = false
    if (!lifetime.closed) this.#settle('active')
  }

  async #fail(lifetime: Lifetime, error: unknown): Promise<void> {
    if (lifetime.closed) {
      // The run was given up while loading; being refused from then on is not worth a report.
      if (!isHarnessError(error) || error.code !== 'CONTEXT_DISPOSED') this.#announce(error)
      return
    }
    this.#failure = { error }
    this.#announce(error)
    await this.stop().catch((failure: unknown) => this.#announce(failure))
  }

  #unloaded(): void {
    for (const use of this.#uses) use.dependents.delete(this)
    this.#lifetime = undefined
    this.#stopping = undefined
    if (!this.#isEnded) return this.refresh()
    this.#settle('disposed')
    // Leaves the parent's list also when the plugin ended itself while it was being stopped.
    void this.#remove()
  }

  #end(): void | Promise<void> {
    this.#isEnded = true
    this.#home.scope.dependents.delete(this)
    if (this.#lifetime !== undefined) return this.stop()
    this.#settle('disposed')
  }

  /** `ctx.dispose()` of the plugin's own context. From within its unloading it cannot wait: it would wait for itself. */
  #endFrom(lifetime: Lifetime): Promise<void> {
    if (lifetime !== this.#lifetime) return Promise.resolve()
    if (!lifetime.closed) return this.dispose()
    this.#isEnded = true
    return Promise.resolve()
  }

  #find(key: string): Provision | undefined {
    const provision = this.#home.scope.find(key, this.#lifetime)
    return provision?.injectable === true ? provision : undefined
  }

  async #settled(): Promise<void> {
    while (!isAtRest(this.#state)) await this.#rest.promise
    if (this.#state === 'failed') throw this.#failure?.error
  }

  #enter(state: 'loading' | 'unloading'): void {
    if (isAtRest(this.#state)) this.#rest = Promise.withResolvers()
    this.#state = state
  }

  #settle(state: 'waiting' | 'active' | 'failed' | 'disposed'): void {
    this.#state = state
    this.#rest.resolve()
  }

  #announce(error: unknown): void {
    announce(this.#home.scope, error, this.name)
  }
}

function isAtRest(state: FiberState): boolean {
  return state !== 'loading' && state !== 'unloading'
}

function isSameList(left: readonly Provision[], right: readonly Provision[]): boolean {
  return left.length === right.length && left.every((provision, index) => provision === right[index])
}

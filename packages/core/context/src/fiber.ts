import { parseConfig } from './config.ts'
import type { Context } from './context.ts'
import { isHarnessError } from './harness-error.ts'
import { type Disposer, Lifetime } from './lifetime.ts'
import { announce, isThenable } from './observers.ts'
import type { ParsedPlugin } from './plugin.ts'
import type { Provision, Scope } from './scope.ts'

/** `waiting`, `active`, `failed` and `disposed` are at rest; the other two lead to one of them. */
export type FiberState = 'waiting' | 'loading' | 'active' | 'unloading' | 'failed' | 'disposed'

/** Where a fiber lives, and how it gets the context of each run. */
export interface FiberHome {
  readonly scope: Scope
  readonly parent: Lifetime
  readonly createContext: (lifetime: Lifetime) => Context
}

/**
 * A loaded plugin. Awaiting it gives nothing and settles when it is active, waits for a service or is disposed;
 * it rejects if loading failed. A failure nobody awaits still reaches `internal/error` (C2).
 */
export class Fiber implements PromiseLike<void> {
  readonly name: string
  readonly #plugin: ParsedPlugin
  readonly #home: FiberHome
  readonly #remove: Disposer
  #config: unknown
  #state: FiberState = 'loading'
  #rest: PromiseWithResolvers<void> = Promise.withResolvers()
  #isEnded = false
  /** Of the present run, until its last undo is done. */
  #lifetime: Lifetime | undefined
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

  /** Called when a service has come or gone; running plugins are stopped by the service itself, before it goes. */
  refresh(): void {
    if (this.#isEnded || this.#lifetime !== undefined) return
    const isMissingSome = this.missing.length > 0
    // Services that went and came back are others than the plugin failed with: worth a new attempt.
    if (isMissingSome) this.#failure = undefined
    if (isMissingSome) this.#enter('waiting')
    else if (this.#failure !== undefined) this.#enter('failed')
    else void this.#start()
  }

  /** Unloads the present run; settles when its last undo is done. */
  async stop(): Promise<void> {
    const lifetime = this.#lifetime
    if (lifetime === undefined) return
    if (!lifetime.closed) this.#enter('unloading')
    const { scope } = this.#home
    const withdrawals = [...scope.ownedBy(lifetime)].map((provision) => () => scope.withdraw(provision))
    await lifetime.close(withdrawals)
  }

  /** The config is read at once and not when the services are there: what is wrong with it is known soonest. */
  async #configure(config: unknown): Promise<void> {
    try {
      const parsed = parseConfig(this.#plugin, config)
      this.#config = isThenable(parsed) ? await parsed : parsed
    } catch (error) {
      this.#failure = { error }
      if (!this.#isEnded) this.#enter('failed')
      this.#announce(error)
      return
    }
    if (this.#isEnded) return
    if (this.#plugin.inject.length > 0) this.#home.scope.tree.fibers.add(this)
    this.refresh()
  }

  async #start(): Promise<void> {
    const lifetime = new Lifetime(this.name, () => this.#endFrom(lifetime))
    this.#lifetime = lifetime
    // Registered first, so done last.
    lifetime.add(() => this.#unloaded())
    for (const key of this.#plugin.inject) {
      const users = this.#find(key)?.users
      users?.add(this)
      lifetime.add(() => void users?.delete(this))
    }
    this.#enter('loading')
    try {
      await this.#load(lifetime)
    } catch (error) {
      await this.#fail(lifetime, error)
    }
  }

  /** Awaits only what is a promise: a plugin that loads at once is active before `ctx.plugin` returns. */
  async #load(lifetime: Lifetime): Promise<void> {
    const { scope, createContext } = this.#home
    lifetime.isLoading = true
    const applying = this.#plugin.load(createContext(lifetime), this.#config)
    if (isThenable(applying)) await applying
    for (const provision of scope.ownedBy(lifetime)) {
      if (lifetime.closed) return
      const starting = provision.service.start?.()
      if (starting !== undefined) await starting
      if (!lifetime.closed) scope.publish(provision)
    }
    lifetime.isLoading = false
    if (!lifetime.closed) this.#enter('active')
  }

  async #fail(lifetime: Lifetime, error: unknown): Promise<void> {
    const isRefusal = isHarnessError(error) && error.code === 'CONTEXT_DISPOSED'
    // A run that was given up while loading is refused from then on: that is not worth a report.
    if (!lifetime.closed || !isRefusal) this.#announce(error)
    if (lifetime.closed) return
    this.#failure = { error }
    await this.stop().catch((failure: unknown) => this.#announce(failure))
  }

  #unloaded(): void {
    this.#lifetime = undefined
    if (!this.#isEnded) return this.refresh()
    this.#enter('disposed')
    // Leaves the parent's list also when the plugin ended itself while it was being stopped.
    void this.#remove()
  }

  #end(): void | Promise<void> {
    this.#isEnded = true
    this.#home.scope.tree.fibers.delete(this)
    if (this.#lifetime !== undefined) return this.stop()
    this.#enter('disposed')
  }

  /** `ctx.dispose()` of the plugin's own context. From within its unloading it cannot wait: it would wait for itself. */
  async #endFrom(lifetime: Lifetime): Promise<void> {
    if (lifetime !== this.#lifetime) return
    this.#isEnded = true
    if (!lifetime.closed) await this.dispose()
  }

  #find(key: string): Provision | undefined {
    const provision = this.#home.scope.find(key)
    return provision?.owner.closed === false ? provision : undefined
  }

  async #settled(): Promise<void> {
    while (!isAtRest(this.#state)) await this.#rest.promise
    if (this.#state === 'failed') throw this.#failure?.error
  }

  #enter(state: FiberState): void {
    if (isAtRest(this.#state)) this.#rest = Promise.withResolvers()
    if (isAtRest(state)) this.#rest.resolve()
    this.#state = state
  }

  #announce(error: unknown): void {
    announce(this.#home.scope, error, this.name)
  }
}

function isAtRest(state: FiberState): boolean {
  return state !== 'loading' && state !== 'unloading'
}

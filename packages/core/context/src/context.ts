import { isFirstSight } from './blame.ts'
import type {
  EventName,
  Listener,
  ListenerOptions,
  ObserverArguments,
  ObserverName,
  WaterfallCall,
  WaterfallName,
  WaterfallResult,
} from './events.ts'
import { Fiber } from './fiber.ts'
import { HarnessError } from './harness-error.ts'
import { type Disposer, Lifetime } from './lifetime.ts'
import type { ListenerEntry } from './listener-table.ts'
import { announce, contain, notify } from './observers.ts'
import {
  type ConfigArguments,
  parsePlugin,
  type Plugin,
  type PluginClass,
  type PluginFunction,
  type PluginObject,
} from './plugin.ts'
import { type Provision, Scope } from './scope.ts'
import { createView, type Service } from './service.ts'
import type { Undo } from './undo-all.ts'
import { runChain } from './waterfall.ts'

/** Keys under which packages have merged a service into `Context`. */
export type ServiceName = Extract<
  { [K in keyof Context]: Context[K] extends Service ? K : never }[keyof Context],
  string
>

interface CachedView {
  readonly provision: Provision
  readonly view: Service
  readonly version: number
}

const declared = new Set<string>()
let registrations = 0

/**
 * Where plugins meet: services to read, events to hear, effects that end with their plugin. `new Context()` makes a
 * root; every plugin gets a context of its own, and what it registers there is undone when it is unloaded.
 */
export class Context implements AsyncDisposable {
  readonly #scope: Scope
  readonly #lifetime: Lifetime
  readonly #views: Map<string, CachedView> = new Map()

  /** Only the package itself passes arguments. */
  constructor(scope: Scope = new Scope(), lifetime: Lifetime = new Lifetime('root')) {
    this.#scope = scope
    this.#lifetime = lifetime
  }

  /** Name of the plugin that this context belongs to; `root` if to none. */
  get owner(): string {
    return this.#lifetime.plugin
  }

  /**
   * Loads a plugin and returns its fiber; a plugin that needs nothing and loads at once is active on return. It ends
   * with this context. `await` the fiber to know that it loaded, or dispose it to unload the plugin alone (C2).
   */
  plugin<Output = void, Input = Output>(
    plugin: PluginFunction<Input, Output> | PluginClass<Input, Output>,
    ...config: ConfigArguments<NoInfer<Input>>
  ): Fiber
  plugin<Output = void, Input = Output>(
    plugin: PluginObject<Input, Output>,
    ...config: ConfigArguments<NoInfer<Input>>
  ): Fiber
  plugin(plugin: Plugin): Fiber
  plugin<Input, Output>(plugin: Plugin<Input, Output>, config?: unknown): Fiber {
    const parsed = parsePlugin(plugin)
    this.#lifetime.assertOpen(`load plugin "${parsed.name}"`)
    for (const key of parsed.inject) Context.#declare(key)
    if (parsed.provides !== undefined) Context.#declare(parsed.provides)
    const scope = this.#scope
    return new Fiber(parsed, config, {
      scope,
      parent: this.#lifetime,
      createContext: (lifetime) => new Context(scope, lifetime),
    })
  }

  /**
   * Runs `setup` now and the undo it returns when this context ends, or when the returned disposer is called, once in
   * all. Undos run in reverse order and are awaited (C3). Refused with `CONTEXT_DISPOSED` once unloading has begun.
   */
  effect(setup: () => Undo): Disposer {
    this.#lifetime.assertOpen('register an effect')
    const undo = setup()
    // A setup that ended its own context is refused like any other, but what it made must not outlive everybody.
    if (this.#lifetime.closed) contain(undo, (error) => announce(this.#scope, error, this.#lifetime.plugin))
    this.#lifetime.assertOpen('keep an effect')
    return this.#lifetime.add(undo)
  }

  /** Hears `name` when it is dispatched through this scope or one below it, until disposed of or this context ends (C4). */
  on<K extends EventName>(name: K, listener: Listener<K>, options?: ListenerOptions): Disposer {
    return this.#listen(name, listener, options)
  }

  /** Like `on`, for one event: removed before the listener is called. */
  once<K extends EventName>(name: K, listener: Listener<K>, options?: ListenerOptions): Disposer {
    const callOnce = (...args: readonly unknown[]): unknown => {
      void dispose()
      return Reflect.apply(listener, undefined, args)
    }
    const dispose = this.#listen(name, callOnce, options)
    return dispose
  }

  /** Tells every observer, in order and without waiting. One that throws or rejects is reported and stops nobody (C4). */
  emit<K extends ObserverName>(name: K, ...args: ObserverArguments<K>): void {
    notify(this.#scope, name, args)
  }

  /**
   * Runs `terminal` inside the listeners of `name`, the highest priority outermost (C5). A listener's error comes out
   * as the same value and is reported once, under the plugin it began in. Without `seal` a listener's promise comes
   * out as a promise, so give the event a promise as its result if listeners may be asynchronous.
   */
  waterfall<K extends WaterfallName>(
    name: K,
    ...[args, terminal, options]: WaterfallCall<K>
  ): WaterfallResult<K> {
    const chain = this.#scope.listeners.chain(name)
    const report = (error: unknown, plugin: string): void => announce(this.#scope, error, plugin)
    return runChain({ chain, terminal, seal: options?.seal, report, primitives: new Set() }, 0, args)
  }

  /**
   * Announces an error on `internal/error`, or on the console if nobody listens there. An error object that a
   * waterfall or an earlier call has already attributed is not announced again, so frames may all call this.
   */
  reportError(error: unknown, plugin: string): void {
    if (isFirstSight(error, new Set())) announce(this.#scope, error, plugin)
  }

  /** The service under a key, or `undefined` while nobody provides it; the property `ctx.key` throws then. */
  get<K extends ServiceName>(key: K): Context[K] | undefined {
    return this.#read(key) === undefined ? undefined : this[key]
  }

  /**
   * Claims a key for a service until this context ends. Called by the constructor of `Service`, by nobody else, and
   * refused with `NOT_LOADING` outside a plugin that loads: no loader would ever publish the service.
   */
  provide(key: string, service: Service): void {
    const lifetime = this.#lifetime
    lifetime.assertOpen(`provide service "${key}"`)
    if (!lifetime.isLoading) {
      const advice = 'only a plugin that is loading provides services; pass the class to ctx.plugin'
      throw new HarnessError(
        `Could not provide service "${key}" from "${this.owner}": ${advice}`,
        'NOT_LOADING',
      )
    }
    Context.#declare(key)
    this.#scope.claim(key, service, lifetime)
  }

  /** A context with a child scope: its own services shadow, its listeners hear only what happens in it (C6). */
  extend(): Context {
    this.#lifetime.assertOpen('extend a context')
    const lifetime = new Lifetime(this.owner, async () => remove())
    const remove = this.#lifetime.add(() => lifetime.close())
    return new Context(new Scope(this.#scope), lifetime)
  }

  /**
   * Ends everything registered through this context, a plugin's own included. Every undo runs even if some fail; the
   * failures are then thrown together as an `AggregateError`. A second call waits for the first.
   */
  dispose(): Promise<void> {
    return this.#lifetime.end()
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#lifetime.end()
  }

  #listen(name: string, callback: ListenerEntry['callback'], options: ListenerOptions = {}): Disposer {
    const lifetime = this.#lifetime
    lifetime.assertOpen(`listen to "${name}"`)
    const { listeners } = this.#scope
    registrations += 1
    const entry: ListenerEntry = {
      callback,
      priority: options.priority ?? 0,
      order: options.prepend === true ? -registrations : registrations,
      frame: Object.freeze({ plugin: lifetime.plugin, context: this }),
      lifetime,
      removed: false,
    }
    listeners.add(name, entry)
    return lifetime.add(() => listeners.remove(name, entry))
  }

  #read(key: string): Service | undefined {
    const { version } = this.#scope.tree
    const known = this.#views.get(key)
    if (known?.version === version) return known.view
    const provision = this.#scope.find(key)
    if (provision === undefined) return undefined
    // If only some other service came or went, the view must stay the same object (C1).
    const view = known?.provision === provision ? known.view : createView(provision.service, this)
    this.#views.set(key, { provision, view, version })
    return view
  }

  /** One accessor per key on the prototype: a read costs a map lookup and no `Proxy` (C1, C7). */
  static #declare(key: string): void {
    if (declared.has(key)) return
    if (key === '' || key === 'then' || key in Context.prototype) {
      const text = `Could not declare service "${key}": the name belongs to Context itself; choose another key`
      throw new HarnessError(text, 'DUPLICATE_SERVICE')
    }
    declared.add(key)
    Object.defineProperty(Context.prototype, key, {
      get(this: Context): Service {
        return this.#read(key) ?? failMissing(key)
      },
    })
  }
}

function failMissing(key: string): never {
  const advice = 'load the plugin that provides it first, or name it in inject'
  throw new HarnessError(
    `Could not read ctx.${key}: nobody provides it in this scope; ${advice}`,
    'SERVICE_NOT_FOUND',
  )
}

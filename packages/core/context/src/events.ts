import type { Context } from './context.ts'

/**
 * Every event by name; packages merge theirs in. A listener type that may return nothing makes an observer event
 * (`emit`), a `Waterfall` makes a waterfall event. Names are `area/verb`.
 */
export interface Events {
  /** `origin` names the plugin whose code failed; `root` when the failing code belongs to no plugin. */
  'internal/error': (error: unknown, origin: { readonly plugin: string }) => void
}

/**
 * A listener around the rest of the chain. `next()` runs everything further in with this frame's own arguments,
 * `next(...replacement)` with others; each call runs the whole inner chain again (C5). `R` must not include `void`.
 */
export type Waterfall<A extends readonly unknown[], R> = (
  ...args: [...A, next: (...replacement: A | []) => R]
) => R | Promise<Awaited<R>>

/** Higher `priority` is further out, 0 by default; equals keep registration order unless `prepend` asks for the front. */
export interface ListenerOptions {
  readonly priority?: number | undefined
  readonly prepend?: boolean | undefined
}

/** Who a waterfall frame belongs to: the context it was registered through (its effects end with the plugin) and the plugin's name. */
export interface WaterfallFrame {
  readonly plugin: string
  readonly context: Context
}

/**
 * `seal` sees what each listener returned, promises included, before the frame outside does; what it returns
 * takes the result's place. The terminal's own result is not sealed. What `seal` throws is blamed on the listener.
 */
export interface WaterfallOptions<R> {
  readonly seal?: ((result: R | Promise<Awaited<R>>, frame: WaterfallFrame) => R) | undefined
}

/** Names of all events, merged ones included. */
export type EventName = Extract<keyof Events, string>

/** Events for `emit`: their listeners may return nothing. */
export type ObserverName = {
  [K in EventName]: Events[K] extends (...args: never) => infer R ? ([void] extends [R] ? K : never) : never
}[EventName]

/** Events for `waterfall`: their listeners must return a result. */
export type WaterfallName = Exclude<EventName, ObserverName>

/** What an observer of `K` is given. */
export type ObserverArguments<K extends EventName> = Events[K] extends (...args: infer P) => unknown ? P : never

/** What a listener of `K` may be: an observer's return value is ignored, though a rejected promise is reported. */
export type Listener<K extends EventName> = K extends ObserverName
  ? (...args: ObserverArguments<K>) => unknown
  : Events[K]

/** The arguments a waterfall listener of `K` is given, without `next`. */
type WaterfallArguments<K extends EventName> =
  ObserverArguments<K> extends [...infer A, (...replacement: never) => unknown] ? A : never

/** What `next()` gives to a listener of `K`, and `ctx.waterfall` to its caller. */
export type WaterfallResult<K extends EventName> =
  ObserverArguments<K> extends [...unknown[], (...replacement: never) => infer R] ? R : never

/** The rest of a `ctx.waterfall` call: arguments, innermost function, options. */
export type WaterfallCall<K extends EventName> = [
  args: WaterfallArguments<K>,
  terminal: (...args: WaterfallArguments<K>) => WaterfallResult<K>,
  options?: WaterfallOptions<WaterfallResult<K>>,
]

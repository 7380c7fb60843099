import type { Context } from './context.ts'

/**
 * Base of everything that lives under a key of the context. The constructor claims the key; the loader publishes the
 * service once the constructor and `start()` are done, until then nobody else sees it (C1).
 *
 * Callers get a view: an object that inherits from the service and whose `ctx` is the *calling* context, so that
 * `this.ctx.effect(…)` in a method ends with the caller. Hence no `#private` members and no reassigned fields in a
 * subclass: keep state in `readonly` collaborators, and never use a view as a map key.
 */
export abstract class Service {
  /** In a method called through a view: the caller's context. Otherwise the context the service was made with. */
  readonly ctx: Context

  constructor(ctx: Context, key: string) {
    this.ctx = ctx
    ctx.provide(key, this)
  }

  /** Runs after the constructor and before the service is published; if it fails, the plugin fails. */
  start?(): void | Promise<void>
}

/** A view of the service for one context; non-extensible, so a stray `this.x = …` fails instead of splitting state. */
export function createView(service: Service, ctx: Context): Service {
  const view: Service = Object.create(service, { ctx: { value: ctx, enumerable: true } })
  return Object.preventExtensions(view)
}

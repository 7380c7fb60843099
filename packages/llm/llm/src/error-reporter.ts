import type { Context } from 'dsh-context'

/**
 * Announces the errors of one call, each once and under the plugin it began in. The context tells error objects apart
 * by itself; a thrown primitive travels through the frames of a call and is known only here.
 */
export class ErrorReporter {
  readonly #ctx: Context
  readonly #primitives = new Set<unknown>()

  constructor(ctx: Context) {
    this.#ctx = ctx
  }

  report(error: unknown, plugin: string): void {
    const isObject = (typeof error === 'object' && error !== null) || typeof error === 'function'
    if (!isObject && this.#primitives.has(error)) return
    if (!isObject) this.#primitives.add(error)
    this.#ctx.reportError(error, plugin)
  }
}

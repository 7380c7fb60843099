import type { Context } from 'dsh-context'
import { abortError, type Clock, createFailure, type LlmFailure } from 'dsh-llm'

export interface PauseOptions {
  /** The plugin that waits; its unload ends the wait. */
  readonly ctx: Context
  readonly clock: Clock
  readonly delayMs: number
  readonly signal: AbortSignal | undefined
  /** Begins the clean-up of the failed run, which must be done, too, before the wait is over. */
  readonly close: () => Promise<void>
}

/** A wait that has begun. By its end no timer, effect or listener of it is left. */
export interface Pause {
  /** Nothing when the time is over, why not when it was cut short; rejects with what the clean-up throws. */
  readonly over: Promise<LlmFailure | undefined>
  end(failure: LlmFailure): void
}

/** Begins to wait. Throws `CONTEXT_DISPOSED` if the plugin is unloading. */
export function startPause({ ctx, clock, delayMs, signal, close }: PauseOptions): Pause {
  const { promise: over, resolve, reject } = Promise.withResolvers<LlmFailure | undefined>()
  // Registered now and not when the plugin loads: unloading undoes the latest first, and drains calls before the rest.
  const release = ctx.effect(() => () => end(unloadFailure(ctx.owner)))
  const time = Promise.withResolvers<void>()
  const cancel = clock.schedule(time.resolve, delayMs)
  const onAbort = (): void => end(signal && abortError(signal).failure)
  signal?.addEventListener('abort', onAbort, { once: true })
  const letGo = (): void => {
    cancel()
    signal?.removeEventListener('abort', onAbort)
    void release()
  }
  // Settled first: letting go of the effect runs its undo, which would otherwise speak of an unload.
  const end = (failure: LlmFailure | undefined): void => {
    resolve(failure)
    letGo()
  }
  Promise.all([time.promise, close()]).then(
    () => end(undefined),
    (error: unknown) => {
      reject(error)
      letGo()
    },
  )
  return { over, end }
}

function unloadFailure(plugin: string): LlmFailure {
  const text = `The plugin "${plugin}" was unloaded while the call waited for its next attempt`
  return createFailure(text, 'ABORTED')
}

import type { Clock } from './clock.ts'

/** How long to wait for clean-up that is not ours. */
export interface Patience {
  readonly clock: Clock
  readonly cleanupMs: number
}

/**
 * Asks an iterator to clean up, at once, and waits for that, at most `cleanupMs`. Rejects with what the clean-up throws
 * within that time; what comes later is dropped.
 */
export async function closeIterator(
  iterator: Pick<AsyncIterator<unknown>, 'return'> | undefined,
  { clock, cleanupMs }: Patience,
): Promise<void> {
  // Called on the iterator, whose own `return` may be absent.
  const closing: unknown = iterator?.return?.()
  if (!isThenable(closing)) return
  const patience = Promise.withResolvers<void>()
  const cancel = clock.schedule(patience.resolve, cleanupMs)
  Promise.resolve(closing).then(() => patience.resolve(), patience.reject)
  try {
    await patience.promise
  } finally {
    cancel()
  }
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof value === 'object' && value !== null && 'then' in value
}

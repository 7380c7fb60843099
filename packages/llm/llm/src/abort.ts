import { LlmError } from './error.ts'
import { readString } from './read-property.ts'
import { createFailure } from './failure-facts.ts'
import type { LlmFailure } from './types.ts'

/**
 * Waits for a promise, but no longer than the signal allows: when it is aborted the result rejects at once with
 * `ABORTED`, whatever the promise does later. Leaves no listener on the signal. For listeners that wait.
 */
export function abortable<T>(promise: PromiseLike<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return Promise.resolve(promise)
  return new Promise<T>((resolve, reject) => {
    const onAbort = (): void => reject(abortError(signal))
    if (signal.aborted) onAbort()
    else signal.addEventListener('abort', onAbort, { once: true })
    void Promise.resolve(promise)
      .then(resolve, reject)
      .then(() => signal.removeEventListener('abort', onAbort))
  })
}

/** The error of a wait or a call whose signal was aborted, by the caller or a listener, with the reason as cause. */
export function abortError(signal: AbortSignal): LlmError {
  return new LlmError(abortMessage(signal), 'ABORTED', { cause: signal.reason })
}

/** The failure of a call whose signal was aborted. */
export function abortFailure(signal: AbortSignal): LlmFailure {
  return createFailure(abortMessage(signal), 'ABORTED')
}

function abortMessage(signal: AbortSignal): string {
  const reason = typeof signal.reason === 'string' ? signal.reason : readString(signal.reason, 'message')
  return reason === undefined ? 'The call was aborted' : `The call was aborted: ${reason}`
}

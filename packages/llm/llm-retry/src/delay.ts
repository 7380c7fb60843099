import type { LlmFailure, RetryPolicy } from 'dsh-llm'

/**
 * The wait after the `failures`th failure, in whole milliseconds: what the provider asks for, else a random part of a
 * bound that doubles each time, so that callers who failed together do not come back together.
 */
export function delayAfter(
  { providerRetryAfterMs }: LlmFailure,
  failures: number,
  { policy, random }: { readonly policy: RetryPolicy; readonly random: () => number },
): number {
  if (providerRetryAfterMs !== undefined) return Math.ceil(providerRetryAfterMs)
  // Finite, since 0 times infinity is no number.
  const factor = Math.min(2 ** (failures - 1), Number.MAX_VALUE)
  const boundMs = Math.min(policy.maxDelayMs, policy.initialDelayMs * factor)
  return Math.round(random() * boundMs)
}

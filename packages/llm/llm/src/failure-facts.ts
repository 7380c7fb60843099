import type { ProviderRequestId } from './ids.ts'
import { present } from './present.ts'
import { readProperty, readString } from './read-property.ts'
import type { LlmFailure } from './types.ts'

/** The optional facts of a failure, as an adapter found them. Odd values are dropped, the failure is kept (L9). */
export interface FailureFacts {
  /** HTTP status, 100–599. */
  readonly status?: number | undefined
  /** Milliseconds the provider asked to wait. */
  readonly providerRetryAfterMs?: number | undefined
  readonly requestId?: ProviderRequestId | string | undefined
}

/** Makes a frozen failure from a message, a code and whatever optional facts are sound. Never throws. */
export function createFailure(message: string, code: string, facts: FailureFacts = {}): LlmFailure {
  return Object.freeze(
    present({
      message,
      code,
      status: toStatus(readProperty(facts, 'status')),
      providerRetryAfterMs: toDelayMs(readProperty(facts, 'providerRetryAfterMs')),
      requestId: readString(facts, 'requestId') as ProviderRequestId | undefined,
    }),
  )
}

/** An HTTP status if the value is one, written as a number or as digits. */
export function toStatus(value: unknown): number | undefined {
  const status = typeof value === 'string' && /^\d{3}$/.test(value) ? Number(value) : value
  return typeof status === 'number' && Number.isInteger(status) && status >= 100 && status <= 599
    ? status
    : undefined
}

function toDelayMs(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : undefined
}

import { LlmError } from 'dsh-llm'

/** Bounds of one call. Times are milliseconds and sizes are bytes; 0 switches a time limit off. */
export interface HttpLimits {
  /** Until the connection stands, through a proxy too. Only the Node transport can tell. */
  readonly connectMs: number
  /** From the call until the first content: connection, headers and queueing together. */
  readonly firstContentMs: number
  /** Between two network reads once the body has begun; comments count as life. */
  readonly idleBytesMs: number
  /** Between two contents, which are events with data unless the reader tells; keep-alives cannot fool it. */
  readonly idleContentMs: number
  /** The whole call, even while nobody reads. Off by default. */
  readonly totalMs: number
  /** How long the body of a failed answer is waited for; what has come by then is used. */
  readonly errorBodyMs: number
  /** One event or one JSON body; an unfinished event counts as well. */
  readonly maxEventBytes: number
  /** The part of an error body that is read; the rest is dropped. */
  readonly maxErrorBodyBytes: number
}

/** The limits as a caller writes them: what is absent takes its default. */
export type HttpLimitOptions = { readonly [Name in keyof HttpLimits]?: number | undefined }

/** Generous enough for a local server that works minutes on a prompt. */
export const DEFAULT_LIMITS: HttpLimits = Object.freeze({
  connectMs: 30_000,
  firstContentMs: 600_000,
  idleBytesMs: 120_000,
  idleContentMs: 300_000,
  totalMs: 0,
  errorBodyMs: 10_000,
  maxEventBytes: 16 * 1024 * 1024,
  maxErrorBodyBytes: 64 * 1024,
})

/** Longer timers fire at once on every platform. */
export const LONGEST_TIMER_MS = 2_147_483_647

/** Fills in the defaults. A time below 0, a size below 1 and an unreal number fail with `INVALID_REQUEST`. */
export function resolveLimits(options: HttpLimitOptions = {}): HttpLimits {
  const limits = { ...DEFAULT_LIMITS }
  for (const name of limitNames) {
    const value = options[name]
    if (value === undefined) continue
    const least = name.endsWith('Bytes') ? 1 : 0
    if (!Number.isFinite(value) || value < least) {
      throw new LlmError(
        `The limit ${name} must be a number of at least ${least}, not ${value}`,
        'INVALID_REQUEST',
      )
    }
    limits[name] = value
  }
  return limits
}

const limitNames = Object.keys(DEFAULT_LIMITS) as (keyof HttpLimits)[]

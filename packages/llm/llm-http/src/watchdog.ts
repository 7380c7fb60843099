import type { Clock } from 'dsh-llm'
import { type HttpLimits, LONGEST_TIMER_MS } from './limits.ts'

/** The limits of a call that a clock watches. */
export type TimeLimit = 'connectMs' | 'firstContentMs' | 'idleBytesMs' | 'idleContentMs' | 'totalMs'

/** What a call gives its watchdog. */
export interface WatchdogOptions {
  readonly limits: HttpLimits
  readonly clock: Clock
  /** Whether the transport reports the connection; otherwise that limit is not watched. */
  readonly tellsConnect: boolean
  /** Called once at most; the watchdog has stopped by then. */
  onExpire(limit: TimeLimit): void
}

/**
 * All time limits of one call on one timer. The deadline moves with every read, but the timer is only set again when it
 * fires too early or a nearer deadline comes up, so a chunk costs two looks at the clock. Idle and content limits
 * count only the time in which somebody waits.
 */
export class Watchdog {
  readonly #options: WatchdogOptions
  readonly #idleBytesMs: number
  readonly #totalAt: number
  #connectAt: number
  #contentLimit: 'firstContentMs' | 'idleContentMs' = 'firstContentMs'
  #contentLeftMs: number
  #bodyBegun = false
  #waitingSince: number | undefined
  #timerAt = Infinity
  #cancelTimer: (() => void) | undefined
  #stopped = false

  constructor(options: WatchdogOptions) {
    const { limits, clock, tellsConnect } = options
    const now = clock.now()
    this.#options = options
    this.#idleBytesMs = orNever(limits.idleBytesMs)
    this.#totalAt = now + orNever(limits.totalMs)
    this.#connectAt = tellsConnect ? now + orNever(limits.connectMs) : Infinity
    this.#contentLeftMs = orNever(limits.firstContentMs)
  }

  /** The connection stands. */
  connected(): void {
    this.#connectAt = Infinity
  }

  /** Somebody waits for the head of the answer or for bytes from now on, if nobody did before. */
  startWait(): void {
    if (this.#stopped || this.#waitingSince !== undefined) return
    const now = this.#options.clock.now()
    this.#waitingSince = now
    this.#arm(now)
  }

  /** The wait is over; `gotBody` says whether body bytes ended it. */
  endWait(gotBody: boolean): void {
    if (gotBody) this.#bodyBegun = true
    if (this.#waitingSince === undefined) return
    this.#contentLeftMs -= this.#options.clock.now() - this.#waitingSince
    this.#waitingSince = undefined
  }

  /** Content came: from now on the idle limit between contents counts, from its full length. */
  sawContent(): void {
    this.#contentLimit = 'idleContentMs'
    this.#contentLeftMs = orNever(this.#options.limits.idleContentMs)
  }

  /** The call is over: no timer stays, and nothing expires any more. */
  stop(): void {
    this.#stopped = true
    this.#waitingSince = undefined
    this.#cancelTimer?.()
    this.#cancelTimer = undefined
  }

  #arm(now: number): void {
    const deadline = this.#deadline()
    if (deadline >= this.#timerAt) return
    this.#cancelTimer?.()
    this.#timerAt = deadline
    // A timer that fires too early is set again.
    const delayMs = Math.min(Math.max(0, deadline - now), LONGEST_TIMER_MS)
    this.#cancelTimer = this.#options.clock.schedule(this.#onTimer, delayMs)
  }

  readonly #onTimer = (): void => {
    if (this.#stopped) return
    this.#timerAt = Infinity
    const now = this.#options.clock.now()
    const expired = this.#expired(now)
    if (expired === undefined) {
      this.#arm(now)
      return
    }
    this.stop()
    this.#options.onExpire(expired)
  }

  #deadline(): number {
    const since = this.#waitingSince
    if (since === undefined) return this.#totalAt
    return Math.min(this.#totalAt, this.#connectAt, since + this.#contentLeftMs, this.#idleBytesAt(since))
  }

  #expired(now: number): TimeLimit | undefined {
    if (now >= this.#totalAt) return 'totalMs'
    const since = this.#waitingSince
    if (since === undefined) return undefined
    if (now >= this.#connectAt) return 'connectMs'
    if (now >= this.#idleBytesAt(since)) return 'idleBytesMs'
    return now >= since + this.#contentLeftMs ? this.#contentLimit : undefined
  }

  // Before the first byte only the first-content limit counts: servers that send headers at once and then work on a
  // long prompt in silence are healthy.
  #idleBytesAt(since: number): number {
    return this.#bodyBegun ? since + this.#idleBytesMs : Infinity
  }
}

function orNever(limitMs: number): number {
  return limitMs === 0 ? Infinity : limitMs
}

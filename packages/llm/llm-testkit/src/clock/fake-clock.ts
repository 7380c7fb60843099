import type { Clock } from 'dsh-llm'
import type { Sleep } from '../server/send-answer.ts'

/** Time that stands still until a test moves it. */
export interface FakeClock extends Clock {
  /** Timers that still wait. */
  readonly pending: number
  /** Waits on this clock: `startProviderServer({ sleep: clock.sleep, now: clock.now })` paces answers by it. */
  readonly sleep: Sleep
  /**
   * Moves on by `ms`, running what falls due in order of time, each at its own moment, and lets promises settle. Moves
   * never overlap: one that is asked for during another, also by a timer, begins where that one ends. What a timer
   * throws ends the move. Rejects when 10,000 timers fall due at one moment.
   */
  advance(ms: number): Promise<void>
  /** Moves on until no timer waits. Rejects after 10,000 timers: something schedules without an end. */
  runAll(): Promise<void>
}

/** A clock at 0. All its functions may be passed on without it. */
export function fakeClock(): FakeClock {
  const timers = new TimerQueue()
  const { now, schedule } = timers
  return {
    now,
    schedule,
    sleep: (delayMs, signal) => sleepOn(timers, delayMs, signal),
    advance: (ms) => timers.inTurn(() => timers.runFor(ms)),
    runAll: () => timers.inTurn(() => timers.runAll()),
    get pending() {
      return timers.size
    },
  }
}

const maxTimers = 10_000
const turnsToSettle = 100

interface Timer {
  readonly dueMs: number
  readonly callback: () => void
}

class TimerQueue {
  private readonly timers = new Set<Timer>()
  private nowMs = 0
  private firedNow = 0
  private lastMove: Promise<void> = Promise.resolve()

  get size(): number {
    return this.timers.size
  }

  readonly now = (): number => this.nowMs

  readonly schedule = (callback: () => void, delayMs: number): (() => void) => {
    if (!Number.isFinite(delayMs))
      throw new RangeError(`Could not set a timer in ${delayMs} ms: give a number, or set none`)
    const timer = { dueMs: this.nowMs + Math.max(0, delayMs), callback }
    this.timers.add(timer)
    return () => void this.timers.delete(timer)
  }

  inTurn(move: () => Promise<void>): Promise<void> {
    const done = this.lastMove.then(move)
    this.lastMove = done.catch(() => {})
    return done
  }

  async runFor(ms: number): Promise<void> {
    if (!(ms >= 0 && ms < Infinity))
      throw new RangeError(`Could not move the clock by ${ms} ms: give 0 or more, or use runAll`)
    const endMs = this.nowMs + ms
    await settle()
    for (let next = this.next(); next !== undefined && next.dueMs <= endMs; next = this.next())
      await this.fire(next)
    this.nowMs = Math.max(this.nowMs, endMs)
    await settle()
  }

  async runAll(): Promise<void> {
    await settle()
    let count = 0
    for (let next = this.next(); next !== undefined; next = this.next()) {
      if (++count > maxTimers)
        throw new Error(
          `Could not run all timers: ${maxTimers} have run and ${this.size} wait; something schedules without an end, use advance`,
        )
      await this.fire(next)
    }
  }

  private next(): Timer | undefined {
    let next: Timer | undefined
    for (const timer of this.timers) if (next === undefined || timer.dueMs < next.dueMs) next = timer
    return next
  }

  private async fire(timer: Timer): Promise<void> {
    this.timers.delete(timer)
    this.firedNow = timer.dueMs > this.nowMs ? 0 : this.firedNow + 1
    if (this.firedNow > maxTimers)
      throw new Error(
        `Could not move past ${this.nowMs} ms: ${maxTimers} timers have run at this moment; something schedules without a delay`,
      )
    this.nowMs = Math.max(this.nowMs, timer.dueMs)
    timer.callback()
    await settle()
  }
}

function sleepOn(clock: Clock, delayMs: number, signal: AbortSignal): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const leave = (): void => {
    cancel()
    reject(signal.reason)
  }
  const cancel = clock.schedule(() => {
    signal.removeEventListener('abort', leave)
    resolve()
  }, delayMs)
  if (signal.aborted) leave()
  else signal.addEventListener('abort', leave, { once: true })
  return promise
}

/** Lets everything that is ready run; waits for no clock. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < turnsToSettle; turn += 1) await Promise.resolve()
}

import type { Clock } from '../../src/index.ts'

interface Timer {
  readonly dueMs: number
  readonly callback: () => void
}

/** Time that moves only when a test says so. */
export class FakeClock implements Clock {
  readonly #timers = new Set<Timer>()
  #nowMs = 0

  /** Timers that still wait; a call that is over leaves none. */
  get pending(): number {
    return this.#timers.size
  }

  now(): number {
    return this.#nowMs
  }

  schedule(callback: () => void, delayMs: number): () => void {
    const timer = { dueMs: this.#nowMs + delayMs, callback }
    this.#timers.add(timer)
    return () => void this.#timers.delete(timer)
  }

  /** Moves on and runs what is due, then lets everything that is ready run. */
  async advance(ms: number): Promise<void> {
    this.#nowMs += ms
    for (const timer of this.#timers) {
      if (timer.dueMs > this.#nowMs) continue
      this.#timers.delete(timer)
      timer.callback()
    }
    await drainMicrotasks()
  }
}

/** Lets everything that is ready run; waits for no clock. */
export async function drainMicrotasks(): Promise<void> {
  for (let turn = 0; turn < 100; turn += 1) await Promise.resolve()
}

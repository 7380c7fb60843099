import type { Clock } from 'dsh-llm'

interface Timer {
  readonly at: number
  readonly callback: () => void
}

/** A clock that only moves when told; counts the timers that are set. */
export class ManualClock implements Clock {
  #now = 0
  #scheduled = 0
  readonly #timers = new Set<Timer>()

  get timerCount(): number {
    return this.#timers.size
  }

  get scheduledCount(): number {
    return this.#scheduled
  }

  now(): number {
    return this.#now
  }

  schedule(callback: () => void, delayMs: number): () => void {
    const timer = { at: this.#now + delayMs, callback }
    this.#timers.add(timer)
    this.#scheduled++
    return () => this.#timers.delete(timer)
  }

  advance(byMs: number): void {
    const until = this.#now + byMs
    for (;;) {
      const [next] = [...this.#timers].filter((timer) => timer.at <= until).toSorted((a, b) => a.at - b.at)
      if (next === undefined) break
      this.#timers.delete(next)
      this.#now = Math.max(this.#now, next.at)
      next.callback()
    }
    this.#now = until
  }
}

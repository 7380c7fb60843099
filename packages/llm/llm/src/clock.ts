import { readProperty } from './read-property.ts'

/** Time as the packages see it, so that tests own it (L13). */
export interface Clock {
  /** Milliseconds that never run backwards; only differences mean anything. */
  now(): number
  /** Runs `callback` once after `delayMs` milliseconds; the returned function cancels it. */
  schedule(callback: () => void, delayMs: number): () => void
}

/** The platform's own clock. */
export const systemClock: Clock = {
  now: () => performance.now(),
  schedule(callback, delayMs) {
    const timer = setTimeout(callback, delayMs)
    return () => clearTimeout(timer)
  },
}

/** Whether a value has the functions of a clock; what they do cannot be seen. For config schemas. */
export function isClock(value: unknown): value is Clock {
  return ['now', 'schedule'].every((name) => typeof readProperty(value, name) === 'function')
}

import type { Clock } from './clock.ts'
import type { LlmFailure } from './types.ts'

/** Something that runs and can be ended from outside; once ended it leaves the set by itself, within bounded time. */
export interface Endable {
  kill(failure: LlmFailure): void
}

export interface DrainOptions {
  readonly clock: Clock
  /** How long the members may finish by themselves, in milliseconds. */
  readonly drainMs: number
  /** What those that did not finish are told. */
  readonly failure: LlmFailure
}

/** The runs or calls that an unload has to wait for. */
export class InFlight<Member extends Endable> {
  readonly #members = new Set<Member>()
  #whenEmpty: (() => void)[] = []

  add(member: Member): void {
    this.#members.add(member)
  }

  delete(member: Member): void {
    if (!this.#members.delete(member) || this.#members.size > 0) return
    const waiting = this.#whenEmpty
    this.#whenEmpty = []
    for (const resolve of waiting) resolve()
  }

  /** Waits until all are over; those that still run after `drainMs` are ended with `failure`. */
  async drain({ clock, drainMs, failure }: DrainOptions): Promise<void> {
    if (this.#members.size === 0) return
    const empty = new Promise<void>((resolve) => this.#whenEmpty.push(resolve))
    const cancel = clock.schedule(() => this.#killAll(failure), drainMs)
    await empty
    cancel()
  }

  #killAll(failure: LlmFailure): void {
    for (const member of this.#members) member.kill(failure)
  }
}

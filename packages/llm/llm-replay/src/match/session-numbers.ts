/** Numbers sessions by first appearance, from 1: their ids are random in each run. Calls without one belong to 0. */
export class SessionNumbers {
  readonly #numbers = new Map<string, number>()
  readonly #calls = new Map<number, number>()

  /** The number of a session, which a new one gets by being asked for. */
  numberOf(sessionId: string | undefined): number {
    if (sessionId === undefined) return 0
    const number = this.#numbers.get(sessionId) ?? this.#numbers.size + 1
    this.#numbers.set(sessionId, number)
    return number
  }

  /** Tells of a call that is recorded already; numbers of coming calls go on behind it. */
  note(session: number, call: number): void {
    this.#calls.set(session, Math.max(call, this.#calls.get(session) ?? 0))
  }

  /** The number of the next call to be recorded in a session. */
  nextCall(session: number): number {
    const call = (this.#calls.get(session) ?? 0) + 1
    this.#calls.set(session, call)
    return call
  }
}

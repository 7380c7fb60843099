/** Gives the calls of one answer ids that differ from each other and from those of the request (agreed answer 3). */
export class CallIdPool {
  readonly #used: ReadonlySet<string>
  readonly #taken = new Set<string>()
  /** The first suffix that may be free, by the id that repeats. */
  readonly #copies = new Map<string, number>()

  /** `used` are ids that no call may have; the set stays the caller's. */
  constructor(used: ReadonlySet<string> = new Set()) {
    this.#used = used
  }

  /** The wanted id, with a suffix if it is taken: the same on every run. */
  take(wanted: string): string {
    const id = this.#isTaken(wanted) ? this.#freeCopy(wanted) : wanted
    this.#taken.add(id)
    return id
  }

  #freeCopy(wanted: string): string {
    let copy = this.#copies.get(wanted) ?? 2
    while (this.#isTaken(`${wanted}-${copy}`)) copy += 1
    this.#copies.set(wanted, copy + 1)
    return `${wanted}-${copy}`
  }

  #isTaken(id: string): boolean {
    return this.#taken.has(id) || this.#used.has(id)
  }
}

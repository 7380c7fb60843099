import { LlmError, type LlmFailure } from 'dsh-llm'
import type { ReplayMode } from './config.ts'
import type { CallEntry } from './match/call-entry.ts'

/** A recorded call that nobody has asked for. */
export interface UnusedCall {
  /** Of the recording, from 1. */
  readonly line: number
  /** 0 for calls without a session. */
  readonly session: number
  readonly call: number
  readonly provider: string
  readonly model: string
}

/** What came of the calls so far. */
export interface ReplayReport {
  readonly mode: ReplayMode
  readonly file: string
  /** Calls written to the file. */
  readonly recorded: number
  /** Calls answered from the file. */
  readonly replayed: number
  /** Requests without a recorded answer, in order. */
  readonly misses: readonly LlmFailure[]
  /** Why calls were not written although they should have been; those calls themselves went on. */
  readonly dropped: readonly string[]
  readonly unused: readonly UnusedCall[]
  /** A last line that a crash left incomplete; the rest of the file is used. */
  readonly tornLine?: number | undefined
}

/** Counts while calls run; belongs to one load of the plugin and outlives it. */
export class ReplayLog {
  readonly #mode: ReplayMode
  readonly #file: string
  #entries: readonly CallEntry[] = []
  #tornLine: number | undefined
  #recorded = 0
  #replayed = 0
  readonly #misses: LlmFailure[] = []
  readonly #dropped: string[] = []

  constructor(mode: ReplayMode, file: string) {
    this.#mode = mode
    this.#file = file
  }

  /** Takes the index over; the matcher marks in it what was asked for. */
  loaded(entries: readonly CallEntry[], tornLine: number | undefined): void {
    this.#entries = entries
    this.#tornLine = tornLine
  }

  /** A line is in the file. */
  recorded(): void {
    this.#recorded += 1
  }

  /** An answer was found and read; how its reader leaves it does not matter. */
  replayed(): void {
    this.#replayed += 1
  }

  /** Kept for the report beside the finish that tells of it, which a harness may swallow. */
  missed(failure: LlmFailure): void {
    this.#misses.push(failure)
  }

  /** A call that was to be written and was not; it went on all the same. */
  dropped(reason: string): void {
    this.#dropped.push(reason)
  }

  /** A snapshot, detached from what follows. */
  report(): ReplayReport {
    return {
      mode: this.#mode,
      file: this.#file,
      recorded: this.#recorded,
      replayed: this.#replayed,
      misses: [...this.#misses],
      dropped: [...this.#dropped],
      unused: this.#unused(),
      tornLine: this.#tornLine,
    }
  }

  /** Throws `REPLAY_UNUSED`, naming the first ten calls that nobody asked for. */
  assertConsumed(): void {
    const unused = this.#unused()
    if (unused.length === 0) return
    const lines = unused.slice(0, 10).map(({ line, session, call, provider, model }) => {
      const where = session === 0 ? `call ${call}` : `call ${call} of session ${session}`
      return `line ${line} (${where}, ${provider}/${model})`
    })
    const more = unused.length > lines.length ? ` and ${unused.length - lines.length} more` : ''
    throw new LlmError(
      `Of the recording ${this.#file} ${unused.length} ${unused.length === 1 ? 'call was' : 'calls were'} never asked for: ${lines.join(', ')}${more}; make those calls or record again`,
      'REPLAY_UNUSED',
    )
  }

  #unused(): readonly UnusedCall[] {
    return this.#entries.flatMap(({ isUsed, place, session, call, provider, model }) =>
      isUsed ? [] : [{ line: place.line, session, call, provider, model }],
    )
  }
}

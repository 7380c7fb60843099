import type { JsonObject } from 'dsh-llm'
import type { CallEntry } from './call-entry.ts'
import { countDrifts } from './drift.ts'
import type { RequestKey } from './request-key.ts'

/** `nearest` is what the request is compared with in the report of a miss. */
export type Match =
  | { readonly kind: 'hit'; readonly entry: CallEntry }
  | { readonly kind: 'diverged'; readonly nearest: CallEntry }
  | { readonly kind: 'exhausted' }

/** Finds the recorded call for a request. A hit uses the call up; a miss uses nothing up. */
export interface Matcher {
  take(key: RequestKey, session: number): Match
}

/** By position: each session has a cursor of its own, and the request there must be the same. */
export class SessionMatcher implements Matcher {
  readonly #calls: ReadonlyMap<number, readonly CallEntry[]>
  readonly #cursors = new Map<number, number>()

  constructor(entries: readonly CallEntry[]) {
    this.#calls = Map.groupBy(inOrder(entries), ({ session }) => session)
  }

  take({ fingerprint }: RequestKey, session: number): Match {
    const at = this.#cursors.get(session) ?? 0
    const entry = this.#calls.get(session)?.[at]
    if (entry === undefined) return { kind: 'exhausted' }
    if (entry.fingerprint !== fingerprint) return { kind: 'diverged', nearest: entry }
    this.#cursors.set(session, at + 1)
    entry.isUsed = true
    return { kind: 'hit', entry }
  }
}

/** Reading more of them would make a miss slow in a large file. */
const maxCompared = 200

/** By request, wherever it stands; equal requests get their calls in the order they were recorded. */
export class FingerprintMatcher implements Matcher {
  readonly #entries: readonly CallEntry[]
  readonly #calls: ReadonlyMap<string, readonly CallEntry[]>
  readonly #cursors = new Map<string, number>()
  readonly #readRequest: (entry: CallEntry) => JsonObject

  constructor(entries: readonly CallEntry[], readRequest: (entry: CallEntry) => JsonObject) {
    this.#entries = inOrder(entries)
    this.#calls = Map.groupBy(this.#entries, ({ fingerprint }) => fingerprint)
    this.#readRequest = readRequest
  }

  take({ fingerprint, request }: RequestKey): Match {
    const known = this.#calls.get(fingerprint)
    if (known === undefined) return this.#diverged(request)
    const at = this.#cursors.get(fingerprint) ?? 0
    const entry = known[at]
    if (entry === undefined) return { kind: 'exhausted' }
    this.#cursors.set(fingerprint, at + 1)
    entry.isUsed = true
    return { kind: 'hit', entry }
  }

  #diverged(request: JsonObject): Match {
    let nearest: CallEntry | undefined
    let fewest = Infinity
    const unused = this.#entries.filter(({ isUsed }) => !isUsed)
    for (const entry of (unused.length > 0 ? unused : this.#entries).slice(0, maxCompared)) {
      const count = countDrifts(this.#readRequest(entry), request)
      if (count >= fewest) continue
      fewest = count
      nearest = entry
    }
    return nearest === undefined ? { kind: 'exhausted' } : { kind: 'diverged', nearest }
  }
}

/** Lines are in the order in which calls ended; calls are numbered in the order in which they began. */
function inOrder(entries: readonly CallEntry[]): readonly CallEntry[] {
  return entries.toSorted((a, b) => a.session - b.session || a.call - b.call)
}

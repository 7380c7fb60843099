import type { JsonObject } from 'dsh-llm'
import type { CallEntry } from './call-entry.ts'
import { countDrifts } from './drift.ts'
import type { RequestKey } from './request-key.ts'

export type Match =
  | { readonly kind: 'hit'; readonly entry: CallEntry }
  /** `findNearest` looks for what the request is compared with in the report; it may read from the file. */
  | { readonly kind: 'diverged'; readonly findNearest: () => CallEntry }
  /** `what` has no more answers, as words of a sentence. */
  | { readonly kind: 'exhausted'; readonly what: string }

/** Finds the recorded call for a request. A hit uses the call up; a miss uses nothing up. */
export interface Matcher {
  take(key: RequestKey, session: number): Match
}

/** By position: each session has a queue of its own, and the request at its head must be the same. */
export class SessionMatcher implements Matcher {
  readonly #queues: ReadonlyMap<number, CallEntry[]>

  constructor(entries: readonly CallEntry[]) {
    this.#queues = Map.groupBy(lastFirst(entries), ({ session }) => session)
  }

  take({ fingerprint }: RequestKey, session: number): Match {
    const queue = this.#queues.get(session) ?? []
    const entry = queue.at(-1)
    if (entry === undefined) return { kind: 'exhausted', what: describeSession(session) }
    return entry.fingerprint === fingerprint
      ? use(entry, queue)
      : { kind: 'diverged', findNearest: () => entry }
  }
}

/** Reading more of them would make a miss slow in a large file. */
const maxCompared = 200

/**
 * By request, wherever it stands. Equal requests get the calls of their own session first, then in the order of the
 * lines.
 */
export class FingerprintMatcher implements Matcher {
  readonly #entries: readonly CallEntry[]
  readonly #queues: ReadonlyMap<string, ReadonlyMap<number, CallEntry[]>>
  readonly #readRequest: (entry: CallEntry) => JsonObject

  constructor(entries: readonly CallEntry[], readRequest: (entry: CallEntry) => JsonObject) {
    const groups = Map.groupBy(lastFirst(entries), ({ fingerprint }) => fingerprint)
    this.#entries = entries
    this.#queues = new Map(
      [...groups].map(([fingerprint, group]) => [fingerprint, Map.groupBy(group, ({ session }) => session)]),
    )
    this.#readRequest = readRequest
  }

  take({ fingerprint, request }: RequestKey, session: number): Match {
    const [first] = this.#entries
    if (first === undefined) return { kind: 'exhausted', what: 'any request' }
    const queues = this.#queues.get(fingerprint)
    if (queues === undefined) return { kind: 'diverged', findNearest: () => this.#nearest(request, first) }
    const own = queues.get(session) ?? []
    const queue = own.length > 0 ? own : firstOf(queues.values())
    const entry = queue.at(-1)
    return entry === undefined ? { kind: 'exhausted', what: 'this request' } : use(entry, queue)
  }

  /** The call that differs in the fewest parts, preferably one that nobody has asked for. */
  #nearest(request: JsonObject, first: CallEntry): CallEntry {
    let nearest = first
    let fewest = Infinity
    const unused = this.#entries.filter(({ isUsed }) => !isUsed)
    for (const entry of (unused.length > 0 ? unused : this.#entries).slice(0, maxCompared)) {
      const count = countDrifts(this.#readRequest(entry), request)
      if (count >= fewest) continue
      fewest = count
      nearest = entry
    }
    return nearest
  }
}

/** The queue whose head stands first in the file. */
function firstOf(queues: Iterable<CallEntry[]>): CallEntry[] {
  let first: CallEntry[] = []
  for (const queue of queues) if (lineOf(queue) < lineOf(first)) first = queue
  return first
}

function lineOf(queue: readonly CallEntry[]): number {
  return queue.at(-1)?.place.line ?? Infinity
}

function use(entry: CallEntry, queue: CallEntry[]): Match {
  queue.pop()
  entry.isUsed = true
  return { kind: 'hit', entry }
}

function describeSession(session: number): string {
  return session === 0 ? 'calls without a session' : `session ${session} (by order of appearance)`
}

/**
 * Lines are in the order in which calls ended; calls are numbered in the order in which they began. The last comes
 * first, so that the end of a list is the head of a queue.
 */
function lastFirst(entries: readonly CallEntry[]): readonly CallEntry[] {
  return entries.toSorted((a, b) => b.session - a.session || b.call - a.call)
}

import type { ReceivedRequest, RequestFacts, RequestState, SocketEnd } from './received-request.ts'

interface Watcher {
  readonly condition: (request: ReceivedRequest) => boolean
  readonly resolve: () => void
  readonly reject: (reason: Error) => void
}

/** The writable side of a journal entry: the server reports progress here and readers see a `ReceivedRequest`. */
export class RequestRecord implements ReceivedRequest {
  readonly method: string
  readonly url: string
  readonly path: string
  readonly query: URLSearchParams
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly body: string
  readonly json: unknown
  readonly receivedAt: number
  readonly connection: number
  readonly index: number
  readonly closed: Promise<SocketEnd>
  readonly signal: AbortSignal
  answerIndex = -1
  state: RequestState = 'received'
  paused = false
  chunksWritten = 0
  bytesWritten = 0
  failure: unknown = undefined
  private readonly watchers = new Set<Watcher>()
  private readonly controller = new AbortController()
  private readonly resolveClosed: (end: SocketEnd) => void
  private endedBy: SocketEnd['by'] = 'client'

  constructor(facts: RequestFacts) {
    this.method = facts.method
    this.url = facts.url
    this.path = facts.path
    this.query = facts.query
    this.headers = facts.headers
    this.body = facts.body
    this.json = facts.json
    this.receivedAt = facts.receivedAt
    this.connection = facts.connection
    this.index = facts.index
    const { promise, resolve } = Promise.withResolvers<SocketEnd>()
    this.closed = promise
    this.resolveClosed = resolve
    this.signal = this.controller.signal
  }

  when(condition: (request: ReceivedRequest) => boolean): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    this.watchers.add({ condition, resolve, reject })
    this.notify()
    if (this.state === 'ended') this.rejectWatchers()
    return promise
  }

  startAnswer(): void {
    this.state = 'answering'
    this.notify()
  }

  countChunk(bytes: number): void {
    this.chunksWritten += 1
    this.bytesWritten += bytes
    this.notify()
  }

  setPaused(paused: boolean): void {
    this.paused = paused
    this.notify()
  }

  /** To be called before the server ends the exchange by itself; otherwise the end counts as the client's. */
  claimEnd(): void {
    if (this.state !== 'ended') this.endedBy = 'server'
  }

  /** Settles everything that waits for this exchange; later calls do nothing. */
  finish(): void {
    if (this.state === 'ended') return
    this.state = 'ended'
    this.paused = false
    this.resolveClosed({ by: this.endedBy, atChunk: this.chunksWritten })
    this.controller.abort()
    this.notify()
    this.rejectWatchers()
  }

  private notify(): void {
    for (const watcher of this.watchers) {
      if (!watcher.condition(this)) continue
      this.watchers.delete(watcher)
      watcher.resolve()
    }
  }

  private rejectWatchers(): void {
    const text = `The exchange was ended by the ${this.endedBy} after ${this.chunksWritten} chunks, before the awaited condition held`
    for (const watcher of this.watchers) watcher.reject(new Error(text))
    this.watchers.clear()
  }
}

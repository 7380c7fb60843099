import type { RequestRecord } from './request-record.ts'

interface Waiter {
  readonly index: number
  readonly resolve: (record: RequestRecord) => void
  readonly reject: (reason: Error) => void
}

/** Every request of one server in the order in which their bodies were complete. */
export class Journal {
  readonly records: RequestRecord[] = []
  private waiters: Waiter[] = []
  private isClosed = false

  add(record: RequestRecord): void {
    this.records.push(record)
    const due = this.waiters.filter((waiter) => waiter.index < this.records.length)
    this.waiters = this.waiters.filter((waiter) => waiter.index >= this.records.length)
    for (const waiter of due) waiter.resolve(record)
  }

  waitFor(index: number): Promise<RequestRecord> {
    const record = this.records[index]
    if (record !== undefined) return Promise.resolve(record)
    if (this.isClosed) return Promise.reject(this.neverCame(index))
    const { promise, resolve, reject } = Promise.withResolvers<RequestRecord>()
    this.waiters.push({ index, resolve, reject })
    return promise
  }

  /** Rejects whoever still waits; no request can come any more. */
  close(): void {
    this.isClosed = true
    for (const waiter of this.waiters) waiter.reject(this.neverCame(waiter.index))
    this.waiters = []
  }

  private neverCame(index: number): Error {
    return new Error(`Request ${index} never came: the server was closed after ${this.records.length} requests`)
  }
}

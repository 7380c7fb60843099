import { abortFailure } from './abort.ts'
import { AdapterRun } from './adapter-run.ts'
import { type ChunkIterator, type ChunkResult, DONE, SingleUse } from './chunk-iterator.ts'
import type { Clock } from './clock.ts'
import { stampFinish } from './finish-stamp.ts'
import type { InFlight } from './in-flight.ts'
import { isTransparent } from './is-transparent.ts'
import type { AttemptChunk, GenerateOptions, LlmFailure, StreamChunk } from './types.ts'

/** What a call needs from the runtime. */
export interface CallHost {
  readonly clock: Clock
  readonly cleanupMs: number
  /** Runs the waterfall; throws what a listener throws. */
  open(call: StreamCall): AsyncIterable<StreamChunk>
}

/**
 * The outer edge: one call of `stream()` as its consumer sees it. Lazy, single-use; numbers the attempts; ends every
 * run that a listener left behind. Where no listener touches the chunks it adds no step of its own.
 */
export class StreamCall implements ChunkIterator {
  readonly request: GenerateOptions
  readonly #host: CallHost
  readonly #singleUse = new SingleUse()
  readonly #runs = new Set<AdapterRun>()
  /** Sets that hold this call until it is over: the runtime's, and one per listener plugin it entered. */
  readonly #memberships = new Set<InFlight<StreamCall>>()
  #inner: AsyncIterator<StreamChunk, undefined> | undefined
  #transparent = false
  #started = false
  #over = false
  #attempts = 1
  #last: StreamChunk | undefined
  #pull: Promise<ChunkResult> | undefined
  #resolve: ((result: ChunkResult) => void) | undefined
  #reject: ((error: unknown) => void) | undefined
  #cancelPatience: (() => void) | undefined
  #runsEnded: Promise<unknown> | undefined

  constructor(host: CallHost, request: GenerateOptions) {
    this.#host = host
    this.request = request
  }

  [Symbol.asyncIterator](): this {
    this.#singleUse.take()
    return this
  }

  /** Keeps this call in a set until it is over, so that an unload can wait for it. */
  join(calls: InFlight<StreamCall>): void {
    if (this.#over || this.#memberships.has(calls)) return
    this.#memberships.add(calls)
    calls.add(this)
  }

  /** Takes charge of a run that some listener of this call started. */
  adopt(run: AdapterRun): void {
    this.#runs.add(run)
  }

  /** A run is over; where nothing stands between it and the consumer, so is the call. */
  release(run: AdapterRun): void {
    this.#runs.delete(run)
    if (this.#transparent) this.#leave()
  }

  next(): Promise<ChunkResult> {
    if (this.#transparent && this.#inner !== undefined) return this.#inner.next() as Promise<ChunkResult>
    if (this.#resolve !== undefined) return this.#nextAfterPending()
    if (this.#over) return Promise.resolve(this.#takeLast())
    if (!this.#started) return this.#start()
    return this.#pullThrough()
  }

  async return(): Promise<ChunkResult> {
    this.#last = undefined
    const inner = this.#inner
    this.#settle(DONE)
    try {
      await inner?.return?.()
    } finally {
      this.#leave()
      await this.#runsEnded
    }
    return DONE
  }

  /**
   * Ends the call from outside: its runs end `aborted`, and so does the call itself if its listeners have not passed
   * that on within `cleanupMs`.
   */
  kill(failure: LlmFailure): void {
    if (this.#over) return
    for (const run of this.#runs) run.kill(failure)
    if (!this.#transparent) this.#losePatience(failure)
  }

  #start(): Promise<ChunkResult> {
    this.#started = true
    try {
      const stream = this.#host.open(this)
      this.#transparent = isTransparent(stream)
      this.#inner = stream[Symbol.asyncIterator]()
    } catch (error) {
      this.#leave()
      return Promise.reject(error as Error)
    }
    if (!this.#transparent) this.#watchCaller()
    return this.next()
  }

  #pullThrough(): Promise<ChunkResult> {
    const pull = new Promise<ChunkResult>(this.#keepResolver)
    this.#pull = pull
    try {
      Promise.resolve(this.#inner?.next() as Promise<ChunkResult>).then(this.#pass, this.#fail)
    } catch (error) {
      this.#fail(error)
    }
    return pull
  }

  readonly #keepResolver = (resolve: (result: ChunkResult) => void, reject: (error: unknown) => void): void => {
    this.#resolve = resolve
    this.#reject = reject
  }

  async #nextAfterPending(): Promise<ChunkResult> {
    // The one before may fail; that is for its own reader to see.
    await this.#pull?.catch(() => {})
    return this.next()
  }

  #takeLast(): ChunkResult {
    const value = this.#last
    this.#last = undefined
    return value === undefined ? DONE : { done: false, value }
  }

  readonly #pass = (result: ChunkResult): void => {
    if (this.#over) return
    if (result.done === true) {
      this.#leave()
      this.#settle(DONE)
      return
    }
    // A reader that stops at the finish never asks again, so all that waits for it must be gone by then.
    if (result.value.type === 'finish') this.#detach()
    this.#settle(result.value.type === 'attempt' ? this.#renumber(result.value) : result)
  }

  #renumber(chunk: AttemptChunk): ChunkResult {
    this.#attempts += 1
    return { done: false, value: Object.freeze({ ...chunk, attempt: this.#attempts }) }
  }

  readonly #fail = (error: unknown): void => {
    if (this.#over) return
    const reject = this.#reject
    this.#leave()
    this.#resolve = undefined
    this.#reject = undefined
    reject?.(error)
  }

  #settle(result: ChunkResult): void {
    const resolve = this.#resolve
    this.#resolve = undefined
    this.#reject = undefined
    resolve?.(result)
  }

  /** Listeners answer for their own waits; one that ignores the abort is overruled after `cleanupMs`. */
  #watchCaller(): void {
    const { signal } = this.request
    if (signal?.aborted === true) this.#onAbort()
    else signal?.addEventListener('abort', this.#onAbort, { once: true })
  }

  readonly #onAbort = (): void => {
    const { signal } = this.request
    if (signal !== undefined) this.#losePatience(abortFailure(signal))
  }

  #losePatience(failure: LlmFailure): void {
    if (this.#over || this.#cancelPatience !== undefined) return
    const { clock, cleanupMs } = this.#host
    this.#cancelPatience = clock.schedule(() => this.#overrule(failure), cleanupMs)
  }

  #overrule(failure: LlmFailure): void {
    const inner = this.#inner
    const reason = { kind: 'aborted', failure } as const
    const finish = stampFinish({ type: 'finish', reason }, this.request)
    this.#leave()
    if (this.#resolve === undefined) this.#last = finish
    else this.#settle({ done: false, value: finish })
    // It did not react in time, so its clean-up is not waited for, and an error of it has no reader left.
    Promise.resolve(inner?.return?.()).catch(() => {})
  }

  #leave(): void {
    this.#over = true
    this.#detach()
  }

  /** Lets go of the signal, of the sets that hold this call, and of runs that a listener left behind. */
  #detach(): void {
    this.#cancelPatience?.()
    this.request.signal?.removeEventListener('abort', this.#onAbort)
    for (const calls of this.#memberships) calls.delete(this)
    this.#memberships.clear()
    this.#runsEnded = Promise.all([...this.#runs].map((run) => run.return()))
  }
}

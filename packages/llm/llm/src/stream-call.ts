import { abortFailure } from './abort.ts'
import { AbortWatch } from './abort-watch.ts'
import type { AdapterRun } from './adapter-run.ts'
import { type ChunkIterator, type ChunkResult, DONE } from './chunk-iterator.ts'
import { closeIterator, type Patience } from './close-iterator.ts'
import { createFailure } from './failure-facts.ts'
import { stampFinish } from './finish-stamp.ts'
import type { InFlight } from './in-flight.ts'
import { PullStream } from './pull-stream.ts'
import { mayStandAside, runBelow } from './run-below.ts'
import { type ChunkReader, SealedStream } from './sealed-stream.ts'
import type { AttemptChunk, GenerateOptions, LlmFailure } from './types.ts'

/** What a call needs from the runtime. */
export interface CallHost extends Patience {
  /** Runs the waterfall; throws what a listener throws. */
  open(call: StreamCall): ChunkIterator
}

const leftBehind = createFailure('The call that this run belongs to is over', 'ABORTED')
const consumerLeft = createFailure('The consumer left the stream', 'ABORTED')

/**
 * The outer edge: one call of `stream()` as its consumer sees it. Lazy, single-use; numbers the attempts; ends every
 * run that a listener left behind. Where no listener touches the chunks it adds no step of its own.
 */
export class StreamCall extends PullStream {
  readonly request: GenerateOptions
  readonly #host: CallHost
  readonly #watch = new AbortWatch(() => this.#onAbort())
  readonly #runs = new Set<AdapterRun>()
  /** Sets that hold this call until it is over: the runtime's, and one per listener plugin it entered. */
  readonly #memberships = new Set<InFlight<StreamCall>>()
  #inner: ChunkIterator | undefined
  /** The run whose chunks reach the consumer as they are; with it the call is over. */
  #direct: AdapterRun | undefined
  #started = false
  /** A listener may get out of the way later on. */
  #mayShorten = false
  /** The finish has passed: all that is left is the clean-up of listeners. */
  #isFinished = false
  /** Why runs of this call are no longer wanted, once the consumer is gone or the edge has overruled the listeners. */
  #unwanted: LlmFailure | undefined
  #attempts = 1
  #cancelPatience: (() => void) | undefined

  constructor(host: CallHost, request: GenerateOptions) {
    super()
    this.#host = host
    this.request = request
  }

  /** Keeps this call in a set until it is over, so that an unload can wait for it. */
  join(calls: InFlight<StreamCall>): void {
    if (this.isOver || this.#memberships.has(calls)) return
    this.#memberships.add(calls)
    calls.add(this)
  }

  /** Takes charge of a run that some listener of this call started; one that nobody wants any more ends at once. */
  adopt(run: AdapterRun): void {
    if (this.#unwanted === undefined) this.#runs.add(run)
    else run.kill(this.#unwanted)
  }

  /** A run is over; where nothing stands between it and the consumer, so is the call. */
  release(run: AdapterRun): void {
    this.#runs.delete(run)
    if (run === this.#direct) this.#leave()
  }

  override next(): Promise<ChunkResult> {
    if (this.#direct !== undefined && this.#inner !== undefined) return this.#inner.next()
    return this.#started || this.isOver ? super.next() : this.#start()
  }

  protected override produce(): void {
    if (this.#isFinished) this.#boundCleanUp()
    if (this.#inner instanceof SealedStream) this.#inner.nextInto(this.#reader)
    else this.#inner?.next().then(this.#pass, this.#failed)
  }

  /** Resolves once listeners and adapters have cleaned up, each within `cleanupMs`; rejects with what a listener throws. */
  async return(): Promise<ChunkResult> {
    const runs = [...this.#runs]
    // Called first, so that a listener that waits for a chunk is already leaving when its run ends.
    const closing = closeIterator(this.#inner, this.#host)
    this.#abandon(consumerLeft)
    this.drop()
    try {
      await closing
    } finally {
      await Promise.all(runs.map((run) => run.cleanedUp))
    }
    return DONE
  }

  /**
   * Ends the call from outside: its runs end `aborted`, and so does the call itself if its listeners have not passed
   * that on within `cleanupMs`.
   */
  kill(failure: LlmFailure): void {
    if (this.isOver) return
    const isDirect = this.#direct !== undefined
    for (const run of this.#runs) run.kill(failure)
    if (!isDirect) this.#losePatience(failure)
  }

  #start(): Promise<ChunkResult> {
    this.#started = true
    try {
      const stream = this.#host.open(this)
      this.#inner = stream[Symbol.asyncIterator]()
      this.#mayShorten = mayStandAside(stream)
      this.#shorten()
    } catch (error) {
      this.#leave()
      return Promise.reject(error as Error)
    }
    if (this.#direct === undefined) this.#watchCaller()
    return this.next()
  }

  readonly #pass = (result: ChunkResult): void => {
    if (this.isOver) return
    if (result.done) {
      this.#leave()
      this.settle(DONE)
      return
    }
    // A reader that stops at the finish never asks again, so all that waits for it must be gone by then.
    const { value } = result
    if (value.type === 'finish') {
      this.#isFinished = true
      this.#detach()
    } else if (this.#mayShorten) this.#shorten()
    this.settle(value.type === 'attempt' ? this.#renumber(value) : result)
  }

  /** A listener whose clean-up never ends must not keep a reader that has the whole answer. */
  #boundCleanUp(): void {
    const { clock, cleanupMs } = this.#host
    this.#cancelPatience = clock.schedule(() => {
      this.#leave()
      this.settle(DONE)
    }, cleanupMs)
  }

  /** Takes itself out of the way once nothing stands between a run and the reader. */
  #shorten(): void {
    const run = runBelow(this.#inner)
    // A run that another call began does not end with this one.
    if (run === undefined || !this.#runs.has(run)) return
    this.#direct = run
    this.#watch.release()
  }

  #renumber(chunk: AttemptChunk): ChunkResult {
    this.#attempts += 1
    return { done: false, value: Object.freeze({ ...chunk, attempt: this.#attempts }) }
  }

  readonly #failed = (error: unknown): void => {
    if (this.isOver) return
    this.#leave()
    this.fail(error)
  }

  readonly #reader: ChunkReader = { take: this.#pass, fail: this.#failed }

  /** Listeners answer for their own waits; one that ignores the abort is overruled after `cleanupMs`. */
  #watchCaller(): void {
    this.#watch.add(this.request.signal)
    this.#onAbort()
  }

  #onAbort(): void {
    const signal = this.#watch.aborted
    if (signal !== undefined) this.#losePatience(abortFailure(signal))
  }

  #losePatience(failure: LlmFailure): void {
    if (this.isOver || this.#cancelPatience !== undefined) return
    const { clock, cleanupMs } = this.#host
    this.#cancelPatience = clock.schedule(() => this.#overrule(failure), cleanupMs)
  }

  #overrule(failure: LlmFailure): void {
    const finish = stampFinish({ kind: 'aborted', failure }, this.request)
    // It did not react in time, so its clean-up is not waited for, and an error of it has no reader left.
    this.#inner?.return().catch(() => {})
    this.#abandon(failure)
    this.deliver(finish)
  }

  /** Over, and nothing that a listener still begins has a reader. */
  #abandon(failure: LlmFailure): void {
    this.#unwanted = failure
    this.#direct = undefined
    this.#leave()
  }

  #leave(): void {
    this.isOver = true
    this.#detach()
  }

  /** Lets go of the signal, of the sets that hold this call, and of runs that a listener left behind. */
  #detach(): void {
    this.#cancelPatience?.()
    this.#watch.release()
    for (const calls of this.#memberships) calls.delete(this)
    this.#memberships.clear()
    for (const run of this.#runs) run.kill(this.#unwanted ?? leftBehind)
  }
}

import { abortFailure } from './abort.ts'
import { AbortWatch } from './abort-watch.ts'
import { ChunkReader } from './chunk-reader.ts'
import { type ChunkIterator, type ChunkResult, DONE, SingleUse } from './chunk-iterator.ts'
import type { Dispatch, RunHost } from './dispatch.ts'
import { LlmError } from './error.ts'
import { stampFinish } from './finish-stamp.ts'
import { Grammar } from './grammar.ts'
import { normaliseFailure } from './normalise-failure.ts'
import { readProperty, readString } from './read-property.ts'
import { soundChunk } from './sound-chunk.ts'
import { soundReason } from './sound-reason.ts'
import type { FinishChunk, FinishReason, GenerateOptions, LlmFailure, StreamChunk } from './types.ts'

/**
 * The adapter boundary (L6): one run of one adapter as a stream that always ends in exactly one `finish`, whatever the
 * adapter does. Starts at the first pull. An abort resolves a waiting pull by itself, so nobody waits for a deaf adapter
 * (L8). One resolver serves all pulls; there is no race and no generator between the adapter and the consumer.
 */
export class AdapterRun implements ChunkIterator {
  readonly #host: RunHost
  readonly #given: GenerateOptions
  readonly #controller = new AbortController()
  readonly #grammar = new Grammar()
  readonly #singleUse = new SingleUse()
  readonly #watch: AbortWatch
  #request: GenerateOptions | undefined
  #dispatch: Dispatch | undefined
  #reader: ChunkReader | undefined
  #started = false
  #ended = false
  /** The finish that nobody has pulled yet. */
  #last: FinishChunk | undefined
  #pull: Promise<ChunkResult> | undefined
  #resolve: ((result: ChunkResult) => void) | undefined
  #cleanUp: Promise<void> | undefined

  constructor(host: RunHost, request: GenerateOptions) {
    this.#host = host
    this.#given = request
    this.#watch = new AbortWatch(() => this.#onAbort())
  }

  get isTaken(): boolean {
    return this.#singleUse.isTaken
  }

  /** Resolves once an ended run has cleaned up, or after `cleanupMs`; at once for one that still runs. */
  get cleanedUp(): Promise<void> {
    return this.#cleanUp ?? Promise.resolve()
  }

  [Symbol.asyncIterator](): this {
    this.#singleUse.take()
    return this
  }

  next(): Promise<ChunkResult> {
    if (this.#resolve !== undefined) return this.#nextAfterPending()
    if (this.#ended) return Promise.resolve(this.#takeLast())
    const pull = new Promise<ChunkResult>(this.#keepResolver)
    this.#pull = pull
    if (this.#started) this.#advance()
    else this.#start()
    return pull
  }

  /** The consumer leaves: resolves once the adapter has cleaned up, or after `cleanupMs` if it does not. */
  async return(): Promise<ChunkResult> {
    this.#last = undefined
    if (!this.#ended) {
      this.#end(new LlmError('The consumer left the stream', 'ABORTED'))
      this.#settle(DONE)
    }
    await this.#cleanUp
    return DONE
  }

  /** Ends the run from outside with `aborted`, as an unload does once its patience is over. */
  kill(failure: LlmFailure): void {
    if (!this.#ended) this.#finish({ kind: 'aborted', failure })
  }

  readonly #keepResolver = (resolve: (result: ChunkResult) => void): void => {
    this.#resolve = resolve
  }

  async #nextAfterPending(): Promise<ChunkResult> {
    await this.#pull
    return this.next()
  }

  #takeLast(): ChunkResult {
    const value = this.#last
    this.#last = undefined
    return value === undefined ? DONE : { done: false, value }
  }

  #settle(result: ChunkResult): void {
    const resolve = this.#resolve
    this.#resolve = undefined
    this.#pull = undefined
    resolve?.(result)
  }

  #start(): void {
    this.#started = true
    try {
      const request = this.#host.admit(this.#given)
      this.#request = request
      this.#watch.add(this.#host.callerSignal)
      this.#watch.add(request.signal)
      if (this.#watch.aborted !== undefined) return this.#onAbort()
      const dispatch = this.#host.dispatch(request, this.#controller.signal)
      this.#dispatch = dispatch
      dispatch.runs.add(this)
      if (dispatch.ready === undefined) this.#open()
      else void dispatch.ready.then(this.#open, this.#fail)
    } catch (error) {
      this.#fail(error)
    }
  }

  readonly #open = (): void => {
    if (this.#ended || this.#dispatch === undefined) return
    const { adapter, request } = this.#dispatch
    try {
      const reader = ChunkReader.open(adapter.stream(request))
      if (typeof reader === 'string') return this.#breach('R1', reader)
      this.#reader = reader
    } catch (error) {
      return this.#fail(error)
    }
    // Opening may have aborted the run; what was opened must still be closed.
    if (this.#ended) this.#cleanUp = this.#close()
    else this.#advance()
  }

  #advance(): void {
    try {
      const result = this.#reader?.next()
      // Another realm's promise, a bare result or a hostile thenable: all become a promise of ours.
      Promise.resolve(result).then(this.#accept, this.#fail)
    } catch (error) {
      this.#fail(error)
    }
  }

  readonly #accept = (result: ChunkResult | undefined): void => {
    if (this.#ended || this.#resolve === undefined) return
    try {
      this.#take(result)
    } catch (error) {
      // Only reading the result or the chunk can throw here: a getter or a Proxy of the adapter's.
      this.#breach('R1', `a chunk could not be read (${normaliseFailure(error).message})`)
    }
  }

  #take(result: ChunkResult | undefined): void {
    if (typeof result !== 'object' || result === null)
      return this.#breach('R1', 'next() gave no iterator result')
    if (result.done) return this.#fail(this.#closedEarly())
    const given: StreamChunk = result.value
    if (typeof given !== 'object' || given === null)
      return this.#breach('R1', `it yielded ${typeof given}, no chunk`)
    const chunk = soundChunk(given)
    const fault = this.#grammar.check(chunk)
    if (fault !== undefined) return this.#breach(fault.rule, fault.message)
    if (chunk.type === 'finish') this.#finish(soundReason(chunk.reason, this.#grammar.hasContent), chunk)
    else this.#settle({ done: false, value: chunk })
  }

  #closedEarly(): LlmError {
    return new LlmError(`The stream of ${this.#name()} ended without a finish`, 'STREAM_CLOSED')
  }

  #breach(rule: string, message: string): void {
    this.#fail(new LlmError(`${this.#name()} broke rule ${rule}: ${message}`, 'ADAPTER_PROTOCOL'))
  }

  #name(): string {
    const name = readString(readProperty(this.#dispatch?.adapter, 'constructor'), 'name') ?? 'The adapter'
    return `${name} (provider "${this.#dispatch?.request.provider ?? ''}")`
  }

  #onAbort(): void {
    const signal = this.#watch.aborted
    if (this.#ended || signal === undefined) return
    this.#finish({ kind: 'aborted', failure: abortFailure(signal) })
  }

  readonly #fail = (error: unknown): void => {
    if (this.#ended) return
    if (this.#watch.aborted !== undefined) return this.#onAbort()
    const failure = normaliseFailure(error)
    this.#finish({ kind: failure.code === 'ABORTED' ? 'aborted' : 'error', failure })
  }

  /** Ends the run and hands its finish to whoever waits, or keeps it for the next pull. */
  #finish(reason: FinishReason, facts?: FinishChunk): void {
    const finish = stampFinish(reason, this.#dispatch?.request ?? this.#request ?? this.#given, facts)
    const failed = reason.kind === 'error' || reason.kind === 'aborted'
    this.#end(failed ? new LlmError(reason.failure.message, 'ABORTED') : undefined)
    if (this.#resolve === undefined) this.#last = finish
    else this.#settle({ done: false, value: finish })
  }

  /** Lets go of everything: the caller's signal, the adapter's run, its iterator. `reason` aborts what still runs. */
  #end(reason: LlmError | undefined): void {
    this.#ended = true
    this.#started = true
    this.#watch.release()
    if (reason !== undefined) this.#controller.abort(reason)
    this.#cleanUp = this.#close()
    this.#host.onEnd(this)
  }

  async #close(): Promise<void> {
    const dispatch = this.#dispatch
    try {
      await this.#reader?.close(this.#host)
    } catch (error) {
      this.#host.reportError(error, dispatch?.plugin ?? 'unknown')
    }
    // By now a well-behaved adapter has nothing left; one that ignored the clean-up is told once more.
    if (!this.#controller.signal.aborted) this.#controller.abort(new LlmError('The stream is over', 'ABORTED'))
    dispatch?.runs.delete(this)
  }
}

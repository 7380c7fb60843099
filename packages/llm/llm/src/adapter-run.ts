import { abortFailure } from './abort.ts'
import { AbortWatch } from './abort-watch.ts'
import { type ChunkResult, DONE } from './chunk-iterator.ts'
import { closeIterator } from './close-iterator.ts'
import type { Dispatch, RunHost } from './dispatch.ts'
import { LlmError } from './error.ts'
import { stampFinish } from './finish-stamp.ts'
import { Grammar } from './grammar.ts'
import { normaliseFailure } from './normalise-failure.ts'
import { openChunks } from './open-chunks.ts'
import { PullStream } from './pull-stream.ts'
import { readProperty, readString } from './read-property.ts'
import { soundChunk } from './sound-chunk.ts'
import { soundReason } from './sound-reason.ts'
import type { FinishChunk, FinishReason, GenerateOptions, LlmFailure, StreamChunk } from './types.ts'

/**
 * The adapter boundary (L6): one run of one adapter as a stream that always ends in exactly one `finish`, whatever the
 * adapter does. Starts at the first pull. An abort resolves a waiting pull by itself, so nobody waits for a deaf adapter
 * (L8). One resolver serves all pulls; there is no race and no generator between the adapter and the consumer.
 */
export class AdapterRun extends PullStream {
  readonly #host: RunHost
  readonly #given: GenerateOptions
  readonly #controller = new AbortController()
  readonly #grammar = new Grammar()
  readonly #watch: AbortWatch
  #request: GenerateOptions | undefined
  #dispatch: Dispatch | undefined
  #chunks: AsyncIterator<StreamChunk, undefined> | undefined
  #started = false
  #cleanUp: Promise<void> | undefined

  constructor(host: RunHost, request: GenerateOptions) {
    super()
    this.#host = host
    this.#given = request
    this.#watch = new AbortWatch(() => this.#onAbort())
  }

  /** Resolves once an ended run has cleaned up, or after `cleanupMs`; at once for one that still runs. */
  get cleanedUp(): Promise<void> {
    return this.#cleanUp ?? Promise.resolve()
  }

  protected override produce(): void {
    if (this.#started) this.#advance()
    else this.#start()
  }

  /** The consumer leaves: resolves once the adapter has cleaned up, or after `cleanupMs` if it does not. */
  async return(): Promise<ChunkResult> {
    if (!this.isOver) this.#end(new LlmError('The consumer left the stream', 'ABORTED'))
    this.drop()
    await this.#cleanUp
    return DONE
  }

  /** Ends the run from outside with `aborted`, as an unload does once its patience is over. */
  kill(failure: LlmFailure): void {
    if (!this.isOver) this.#finish({ kind: 'aborted', failure })
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
      else void dispatch.ready.then(this.#open, this.#failed)
    } catch (error) {
      this.#failed(error)
    }
  }

  readonly #open = (): void => {
    if (this.isOver || this.#dispatch === undefined) return
    const { adapter, request } = this.#dispatch
    try {
      const chunks = openChunks(adapter.stream(request))
      if (typeof chunks === 'string') return this.#breach('R1', chunks)
      this.#chunks = chunks
    } catch (error) {
      return this.#failed(error)
    }
    // Opening may have aborted the run; what was opened must still be closed.
    if (this.isOver) this.#cleanUp = this.#close()
    else this.#advance()
  }

  #advance(): void {
    try {
      const result = this.#chunks?.next()
      // Another realm's promise, a bare result or a hostile thenable: all become a promise of ours.
      Promise.resolve(result).then(this.#accept, this.#failed)
    } catch (error) {
      this.#failed(error)
    }
  }

  readonly #accept = (result: ChunkResult | undefined): void => {
    if (this.isOver || !this.isPulled) return
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
    if (result.done) return this.#failed(this.#closedEarly())
    const given: StreamChunk = result.value
    if (typeof given !== 'object' || given === null)
      return this.#breach('R1', `it yielded ${typeof given}, no chunk`)
    const chunk = soundChunk(given)
    const fault = this.#grammar.check(chunk)
    if (fault !== undefined) return this.#breach(fault.rule, fault.message)
    if (chunk.type === 'finish') this.#finish(soundReason(chunk.reason, this.#grammar.hasContent), chunk)
    else this.settle({ done: false, value: chunk })
  }

  #closedEarly(): LlmError {
    return new LlmError(`The stream of ${this.#name()} ended without a finish`, 'STREAM_CLOSED')
  }

  #breach(rule: string, message: string): void {
    this.#failed(new LlmError(`${this.#name()} broke rule ${rule}: ${message}`, 'ADAPTER_PROTOCOL'))
  }

  #name(): string {
    const name = readString(readProperty(this.#dispatch?.adapter, 'constructor'), 'name') ?? 'The adapter'
    return `${name} (provider "${this.#dispatch?.request.provider ?? ''}")`
  }

  #onAbort(): void {
    const signal = this.#watch.aborted
    if (this.isOver || signal === undefined) return
    this.#finish({ kind: 'aborted', failure: abortFailure(signal) })
  }

  readonly #failed = (error: unknown): void => {
    if (this.isOver) return
    if (this.#watch.aborted !== undefined) return this.#onAbort()
    const failure = normaliseFailure(error)
    this.#finish({ kind: failure.code === 'ABORTED' ? 'aborted' : 'error', failure })
  }

  /** Ends the run and hands its finish to whoever waits, or keeps it for the next pull. */
  #finish(reason: FinishReason, facts?: FinishChunk): void {
    const finish = stampFinish(reason, this.#dispatch?.request ?? this.#request ?? this.#given, facts)
    const failed = reason.kind === 'error' || reason.kind === 'aborted'
    this.#end(failed ? new LlmError(reason.failure.message, 'ABORTED') : undefined)
    this.deliver(finish)
  }

  /** Lets go of everything: the caller's signal, the adapter's run, its iterator. `reason` aborts what still runs. */
  #end(reason: LlmError | undefined): void {
    this.isOver = true
    this.#started = true
    this.#watch.release()
    if (reason !== undefined) this.#controller.abort(reason)
    this.#cleanUp = this.#close()
    this.#host.onEnd(this)
  }

  async #close(): Promise<void> {
    const dispatch = this.#dispatch
    try {
      await closeIterator(this.#chunks, this.#host)
    } catch (error) {
      this.#host.reportError(error, dispatch?.plugin ?? 'unknown')
    }
    // By now a well-behaved adapter has nothing left; one that ignored the clean-up is told once more.
    if (!this.#controller.signal.aborted) this.#controller.abort(new LlmError('The stream is over', 'ABORTED'))
    dispatch?.runs.delete(this)
  }
}

import { abortFailure } from './abort.ts'
import { ChunkReader } from './chunk-reader.ts'
import { type ChunkIterator, type ChunkResult, DONE, SingleUse } from './chunk-iterator.ts'
import type { Dispatch, RunHost } from './dispatch.ts'
import { LlmError } from './error.ts'
import { createFailure } from './failure-facts.ts'
import { stampFinish } from './finish-stamp.ts'
import { Grammar } from './grammar.ts'
import { normaliseFailure } from './normalise-failure.ts'
import type { FinishChunk, GenerateOptions, LlmFailure, StreamChunk } from './types.ts'
import { soundUsage } from './usage.ts'

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
  #signal: AbortSignal | undefined
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
  }

  get ended(): boolean {
    return this.#ended
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
    if (!this.#ended) this.#finish({ type: 'finish', reason: { kind: 'aborted', failure } })
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
      this.#signal = request.signal
      if (request.signal?.aborted === true) return this.#onAbort()
      request.signal?.addEventListener('abort', this.#onAbort, { once: true })
      const dispatch = this.#host.dispatch(request, this.#controller.signal)
      if (dispatch instanceof Promise) void dispatch.then(this.#open, this.#fail)
      else this.#open(dispatch)
    } catch (error) {
      this.#fail(error)
    }
  }

  readonly #open = (dispatch: Dispatch): void => {
    if (this.#ended) return
    this.#dispatch = dispatch
    dispatch.runs.add(this)
    try {
      this.#reader = new ChunkReader(dispatch.adapter.stream(dispatch.request))
      this.#advance()
    } catch (error) {
      this.#fail(error)
    }
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
    if (this.#ended) return
    try {
      this.#take(result)
    } catch (error) {
      // Only reading the result or the chunk can throw here: a getter or a Proxy of the adapter's.
      this.#breach('R1', `a chunk could not be read (${normaliseFailure(error).message})`)
    }
  }

  #take(result: ChunkResult | undefined): void {
    if (typeof result !== 'object' || result === null) return this.#breach('R1', 'next() gave no iterator result')
    if (result.done === true) return this.#fail(this.#closedEarly())
    const chunk: StreamChunk = result.value
    if (typeof chunk !== 'object' || chunk === null) return this.#breach('R1', `a chunk is ${String(chunk)}`)
    const fault = this.#grammar.check(chunk)
    if (fault !== undefined) return this.#breach(fault.rule, fault.message)
    if (chunk.type === 'finish') this.#finish(this.#judge(chunk))
    else this.#settle({ done: false, value: chunk.type === 'usage' ? soundUsage(chunk) : chunk })
  }

  #judge(chunk: FinishChunk): FinishChunk {
    if (chunk.reason.kind !== 'stop' || this.#grammar.hasContent) return chunk
    const failure = createFailure('The provider ended its answer without any content', 'EMPTY_RESPONSE')
    return { ...chunk, reason: { kind: 'error', failure } }
  }

  #closedEarly(): LlmError {
    return new LlmError(`The stream of ${this.#name()} ended without a finish`, 'STREAM_CLOSED')
  }

  #breach(rule: string, message: string): void {
    this.#fail(new LlmError(`${this.#name()} broke rule ${rule}: ${message}`, 'ADAPTER_PROTOCOL'))
  }

  #name(): string {
    const { adapter, request } = this.#dispatch ?? {}
    return `${adapter?.constructor.name ?? 'The adapter'} (provider "${request?.provider ?? ''}")`
  }

  readonly #onAbort = (): void => {
    const signal = this.#signal
    if (this.#ended || signal === undefined) return
    this.#finish({ type: 'finish', reason: { kind: 'aborted', failure: abortFailure(signal) } })
  }

  readonly #fail = (error: unknown): void => {
    if (this.#ended) return
    if (this.#signal?.aborted === true) return this.#onAbort()
    const failure = normaliseFailure(error)
    const kind = failure.code === 'ABORTED' ? 'aborted' : 'error'
    this.#finish({ type: 'finish', reason: { kind, failure } })
  }

  /** Ends the run and hands `finish` to whoever waits, or keeps it for the next pull. */
  #finish(chunk: FinishChunk): void {
    const route = this.#dispatch?.request ?? this.#request ?? this.#given
    const finish = stampFinish(chunk, route)
    const failed = 'failure' in finish.reason
    this.#end(failed ? new LlmError(finish.reason.failure.message, 'ABORTED') : undefined)
    if (this.#resolve === undefined) this.#last = finish
    else this.#settle({ done: false, value: finish })
  }

  /** Lets go of everything: the caller's signal, the adapter's run, its iterator. `reason` aborts what still runs. */
  #end(reason: LlmError | undefined): void {
    this.#ended = true
    this.#started = true
    this.#signal?.removeEventListener('abort', this.#onAbort)
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

import { type ChunkIterator, type ChunkResult, DONE, SingleUseStream } from './chunk-iterator.ts'
import { type CommitPoint, isCommitting } from './commit-rule.ts'
import type { Blame } from './sealed-stream.ts'
import type { AttemptChunk, FinishChunk, LlmFailure, StreamChunk, TokenUsage } from './types.ts'

/** A run that failed before it committed the stream. */
export interface FailedRun {
  readonly failure: LlmFailure
  readonly finish: FinishChunk
  /** What it cost, as far as it said. */
  readonly usage: TokenUsage | undefined
  /** Lets go of everything the run holds; rejects with what a listener further in throws while it cleans up. */
  close(): Promise<void>
}

/** Another run in place of a failed one. */
export interface Rerun {
  /** Shown at once, before the wait is over. */
  readonly attempt: AttemptChunk
  /** When the run may begin; a failure ends the stream as `aborted` instead. */
  readonly mayBegin: Promise<LlmFailure | undefined>
  begin(): AsyncIterable<StreamChunk>
  /** The reader left: nothing will begin. */
  cancel(): void
}

export interface RerunOptions {
  readonly until: CommitPoint
  /** Asked after each failure, as long as nothing is committed. A finish ends the stream. */
  readonly judge: (failed: FailedRun) => Rerun | FinishChunk
}

/**
 * Chunks of one run, or of another one if that fails before it has committed the stream. What is committed is handed on
 * as it is, so that a chunk then costs a function call and no wrapper of the listener's own.
 */
export function rerunStream(
  first: AsyncIterable<StreamChunk>,
  options: RerunOptions,
): AsyncIterable<StreamChunk> {
  return new RerunStream(first, options)
}

type Run = Pick<ChunkIterator, 'next' | 'return'>

/** What makes a stream of the listener's reliable, and who hears of the listener's own errors. */
interface Claim {
  readonly seal: (stream: AsyncIterable<StreamChunk>) => AsyncIterable<StreamChunk>
  readonly blame: Blame
}

/** Nothing in it can break the grammar of `attempt` and `finish`, provided its runs do not. */
export class RerunStream extends SingleUseStream {
  /** The first run. */
  readonly source: AsyncIterable<StreamChunk>
  readonly #options: RerunOptions
  #claim: Claim | undefined
  #current: AsyncIterable<StreamChunk>
  #opened: Run | undefined
  /** Nothing stands any more between this run and the reader. */
  #flow: Run | undefined
  #isCommitted = false
  #isOver = false
  /** What the reader may see only once the run has given content. */
  #held: StreamChunk[] = []
  /** What the next pulls get before the run is asked again. */
  #ready: StreamChunk[] = []
  #usage: TokenUsage | undefined
  #finish: FinishChunk | undefined
  #rerun: Rerun | undefined
  #lastPull: Promise<unknown> = Promise.resolve()
  #pulls = 0

  constructor(first: AsyncIterable<StreamChunk>, options: RerunOptions) {
    super()
    this.source = first
    this.#current = first
    this.#options = options
  }

  /** The run whose chunks pass as they are from now on, once there is one. */
  get settled(): AsyncIterable<StreamChunk> | undefined {
    return this.#flow === undefined ? undefined : this.#current
  }

  /** Whether it is known whose stream this is. */
  get isClaimed(): boolean {
    return this.#claim !== undefined
  }

  /** Says whose stream this is; the first word counts. */
  claim(claim: Claim): void {
    this.#claim ??= claim
  }

  next(): Promise<ChunkResult> {
    if (this.#flow !== undefined) return this.#flow.next()
    // One after the other: the runtime asks that way, a listener further out need not.
    this.#pulls += 1
    const pull = this.#lastPull.then(this.#produce, this.#produce)
    this.#lastPull = pull
    return pull
  }

  async return(): Promise<ChunkResult> {
    this.#isOver = true
    this.#ready = []
    this.#rerun?.cancel()
    await this.#opened?.return()
    return DONE
  }

  get #run(): Run {
    this.#opened ??= open(this.#current)
    return this.#opened
  }

  readonly #produce = async (): Promise<ChunkResult> => {
    try {
      return await this.#nextChunk()
    } finally {
      this.#pulls -= 1
      if (this.#isCommitted && this.#ready.length === 0 && this.#pulls === 0) this.#flow = this.#run
    }
  }

  async #nextChunk(): Promise<ChunkResult> {
    for (;;) {
      const ready = this.#ready.shift()
      if (ready !== undefined) return { done: false, value: ready }
      if (this.#isOver) return DONE
      if (this.#rerun !== undefined) await this.#replaceRun(this.#rerun)
      else {
        const result = await this.#run.next()
        if (result.done === true || this.#isCommitted) return result
        // A failure may come in the moment in which the reader leaves; nothing is begun for it then.
        if (!this.#isOver) this.#take(result.value)
      }
    }
  }

  #take(chunk: StreamChunk): void {
    const { until } = this.#options
    if (chunk.type === 'finish') this.#end(chunk)
    else if (chunk.type === 'attempt') this.#forget(chunk)
    else if (isCommitting(chunk, until)) this.#commit(chunk)
    else if (until === 'finish') this.#pass(chunk)
    else this.#hold(chunk)
  }

  #pass(chunk: StreamChunk): void {
    if (chunk.type === 'usage') this.#usage = chunk.usage
    this.#ready.push(chunk)
  }

  #hold(chunk: StreamChunk): void {
    // Each usage replaces the one before (R6), so a server that repeats it does not fill the memory.
    if (chunk.type === 'usage') {
      this.#usage = chunk.usage
      this.#held = this.#held.filter(({ type }) => type !== 'usage')
    }
    this.#held.push(chunk)
  }

  #commit(chunk: StreamChunk): void {
    this.#isCommitted = true
    this.#ready.push(...this.#held, chunk)
    this.#held = []
  }

  /** All before an attempt is void (R10), also if a listener further in makes it. */
  #forget(attempt: AttemptChunk): void {
    this.#held = []
    this.#usage = undefined
    this.#ready.push(attempt)
  }

  #end(finish: FinishChunk): void {
    const { reason } = finish
    if (reason.kind !== 'error') return this.#commit(finish)
    const run = this.#run
    const failed: FailedRun = { failure: reason.failure, finish, usage: this.#usage, close: () => drain(run) }
    const verdict = this.#blaming(() => this.#options.judge(failed))
    if ('type' in verdict) return this.#commit(verdict)
    // Somebody may never ask again; whoever does hears of it.
    verdict.mayBegin.catch(() => {})
    this.#rerun = verdict
    this.#finish = finish
    this.#forget(verdict.attempt)
  }

  async #replaceRun(rerun: Rerun): Promise<void> {
    const failure = await this.#outcomeOf(rerun)
    if (this.#isOver) return
    if (failure === undefined) return this.#begin(rerun)
    // Over at once: clean-up of the failed run, which the wait was cut short of, is for nobody to wait for.
    this.#isOver = true
    this.#ready.push(abortedAfter(this.#finish, failure))
  }

  #begin(rerun: Rerun): void {
    const stream = this.#blaming(() => rerun.begin())
    this.#current = this.#claim?.seal(stream) ?? stream
    this.#opened = undefined
  }

  async #outcomeOf(rerun: Rerun): Promise<LlmFailure | undefined> {
    try {
      return await rerun.mayBegin
    } catch (error) {
      this.#claim?.blame(error)
      throw error
    } finally {
      this.#rerun = undefined
    }
  }

  /** Errors of a listener further in count as reported already, so nobody is blamed for passing them on. */
  #blaming<Result>(act: () => Result): Result {
    try {
      return act()
    } catch (error) {
      this.#claim?.blame(error)
      throw error
    }
  }
}

function open(stream: AsyncIterable<StreamChunk>): Run {
  // What `next()` gave is of this package; anything else is made so by the claim, or belongs to a test.
  return stream[Symbol.asyncIterator]() as ChunkIterator
}

/** The pull after the finish lets a listener clean up; `return` waits for the adapter's clean-up. */
async function drain(run: Run): Promise<void> {
  await run.next()
  await run.return()
}

function abortedAfter(failed: FinishChunk | undefined, failure: LlmFailure): FinishChunk {
  return Object.freeze({
    type: 'finish',
    reason: Object.freeze({ kind: 'aborted', failure }),
    response: failed?.response,
  })
}

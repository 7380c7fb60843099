import { type Context, isHarnessError } from 'dsh-context'
import {
  abortError,
  type Clock,
  createFailure,
  type FailedRun,
  type FinishChunk,
  type GenerateOptions,
  type LlmFailure,
  type Rerun,
  type RetryPolicy,
  type StreamChunk,
  withoutReplayState,
} from 'dsh-llm'
import { delayAfter } from './delay.ts'
import { type Pause, startPause } from './pause.ts'

/** What all calls of one plugin share. */
export interface RetryHost {
  readonly ctx: Context
  readonly clock: Clock
  readonly random: () => number
}

/** What makes up one call. */
export interface RetryCallOptions {
  readonly policy: RetryPolicy
  readonly request: GenerateOptions
  readonly next: (request: GenerateOptions) => AsyncIterable<StreamChunk>
}

/** Decides over the failures of one call. Its time begins when it is made. */
export class RetryCall {
  readonly #host: RetryHost
  readonly #policy: RetryPolicy
  readonly #next: RetryCallOptions['next']
  readonly #startedAt: number
  #request: GenerateOptions
  /** Runs so far, the failed one included. */
  #runs = 0
  #hasDroppedReplayState = false

  constructor(host: RetryHost, { policy, request, next }: RetryCallOptions) {
    this.#host = host
    this.#policy = policy
    this.#next = next
    this.#request = request
    this.#startedAt = host.clock.now()
  }

  /** Another attempt, or the finish that ends the call: the failure itself where no retry was in question. */
  judge(failed: FailedRun): Rerun | FinishChunk {
    this.#runs += 1
    const { failure, finish } = failed
    const { signal } = this.#request
    if (signal?.aborted === true)
      return withReason(finish, { kind: 'aborted', failure: abortError(signal).failure })
    if (this.#dropReplayState(failure)) return this.#rerun(failed, 0)
    if (!this.#policy.codes.includes(failure.code)) return finish
    const delayMs = delayAfter(failure, this.#countedRuns, { policy: this.#policy, random: this.#host.random })
    const obstacle = this.#obstacleTo(failure, delayMs)
    return obstacle === undefined ? this.#rerun(failed, delayMs) : this.#giveUp(failed, obstacle)
  }

  /** The run without replay state is another request and not the same one again, so no attempt is charged for it. */
  get #countedRuns(): number {
    return this.#hasDroppedReplayState ? this.#runs - 1 : this.#runs
  }

  get #elapsedMs(): number {
    return this.#host.clock.now() - this.#startedAt
  }

  /** True the first time the provider rejects replay state, if there is any. */
  #dropReplayState({ code }: LlmFailure): boolean {
    if (code !== 'REPLAY_STATE_REJECTED' || this.#hasDroppedReplayState) return false
    const stripped = withoutReplayState(this.#request)
    this.#hasDroppedReplayState = stripped !== this.#request
    this.#request = stripped
    return this.#hasDroppedReplayState
  }

  #obstacleTo({ providerRetryAfterMs = 0 }: LlmFailure, delayMs: number): string | undefined {
    const { maxAttempts, maxElapsedMs, maxProviderDelayMs } = this.#policy
    if (providerRetryAfterMs > maxProviderDelayMs)
      return `the provider asks for a wait of ${seconds(delayMs)} and maxProviderDelayMs is ${maxProviderDelayMs}`
    if (this.#countedRuns >= maxAttempts) return `maxAttempts is ${maxAttempts}`
    if (this.#elapsedMs + delayMs > maxElapsedMs)
      return `waiting ${seconds(delayMs)} more would exceed maxElapsedMs, which is ${maxElapsedMs}`
    return undefined
  }

  #rerun({ failure, finish, usage, close }: FailedRun, delayMs: number): Rerun | FinishChunk {
    const pause = this.#pause(delayMs, close)
    if (pause === undefined) return finish
    return {
      attempt: Object.freeze({ type: 'attempt', attempt: this.#runs + 1, failure, delayMs, usage }),
      mayBegin: pause.over,
      begin: () => this.#next(this.#request),
      cancel: () => pause.end(failure),
    }
  }

  /** None while the plugin unloads: what still runs may finish, but nothing new begins. */
  #pause(delayMs: number, close: FailedRun['close']): Pause | undefined {
    const { ctx, clock } = this.#host
    try {
      return startPause({ ctx, clock, delayMs, signal: this.#request.signal, close })
    } catch (error) {
      if (isHarnessError(error) && error.code === 'CONTEXT_DISPOSED') return undefined
      throw error
    }
  }

  #giveUp({ failure, finish }: FailedRun, obstacle: string): FinishChunk {
    const runs = this.#runs === 1 ? '1 attempt' : `${this.#runs} attempts`
    const text = `${failure.message}; gave up after ${runs} in ${seconds(this.#elapsedMs)}, since ${obstacle}`
    return withReason(finish, { kind: 'error', failure: createFailure(text, failure.code, failure) })
  }
}

function withReason(finish: FinishChunk, reason: FinishChunk['reason']): FinishChunk {
  return Object.freeze({ ...finish, reason: Object.freeze(reason) })
}

function seconds(milliseconds: number): string {
  return `${Number((milliseconds / 1_000).toFixed(1))} s`
}

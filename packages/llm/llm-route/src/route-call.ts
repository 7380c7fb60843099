import {
  createFailure,
  type FailedRun,
  type FinishChunk,
  type GenerateOptions,
  type LlmFailure,
  type Rerun,
  type StreamChunk,
} from 'dsh-llm'
import { type Alternatives, toName } from './alternatives.ts'
import type { Route } from './config.ts'

/** What makes up one call. */
export interface RouteCallOptions {
  readonly alternatives: Alternatives
  readonly request: GenerateOptions
  readonly next: (request: GenerateOptions) => AsyncIterable<StreamChunk>
}

/** Codes by which an alternative says that it cannot take the request as it is: no outage, and not what went wrong. */
const refusals: ReadonlySet<string> = new Set([
  'NO_ADAPTER',
  'UNSUPPORTED_OPTION',
  'UNSUPPORTED_CONTENT',
  'UNSUPPORTED_REASONING_EFFORT',
])

/** Decides over the failures of one call. */
export class RouteCall {
  readonly #alternatives: Alternatives
  readonly #request: GenerateOptions
  readonly #next: RouteCallOptions['next']
  /** The latest failure that was none of an alternative's refusals. */
  #cause: FailedRun | undefined
  #runs = 0

  constructor({ alternatives, request, next }: RouteCallOptions) {
    this.#alternatives = alternatives
    this.#request = request
    this.#next = next
  }

  /** The next route, or the finish that ends the call: the failure itself where no switch was in question. */
  judge(failed: FailedRun): Rerun | FinishChunk {
    this.#runs += 1
    const { code, message } = failed.failure
    const isRefusal = this.#runs > 1 && refusals.has(code)
    if (isRefusal) this.#alternatives.passOver(message)
    else this.#cause = failed
    const cause = this.#cause ?? failed
    const route = this.#alternatives.take(cause.failure.code)
    return route === undefined ? this.#giveUp(cause) : this.#switchTo(route, failed)
  }

  #switchTo(route: Route, { failure, usage, close }: FailedRun): Rerun {
    return {
      attempt: Object.freeze({
        type: 'attempt',
        attempt: this.#runs + 1,
        failure,
        delayMs: 0,
        usage,
        next: Object.freeze({ ...route }),
      }),
      mayBegin: close().then(() => undefined),
      begin: () => this.#next({ ...this.#request, ...route }),
      cancel: () => {},
    }
  }

  #giveUp({ failure, finish }: FailedRun): FinishChunk {
    const { tried, passedOver } = this.#alternatives
    if (tried.length === 1) return finish
    const reason = Object.freeze({
      kind: 'error' as const,
      failure: withNote(failure, toNote(tried, passedOver)),
    })
    return Object.freeze({ ...finish, reason })
  }
}

function withNote(failure: LlmFailure, note: string): LlmFailure {
  return createFailure(`${failure.message}; ${note}`, failure.code, failure)
}

function toNote(tried: readonly Route[], passedOver: readonly string[]): string {
  const routes = tried.map(toName).join(', ')
  const reasons = passedOver.length === 0 ? '' : `: ${passedOver.join('; ')}`
  return `no route is left of ${routes}${reasons}`
}

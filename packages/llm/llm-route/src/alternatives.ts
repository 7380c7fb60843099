import { type GenerateOptions, isLlmError, type LlmRuntime } from 'dsh-llm'
import type { Fallback, Route } from './config.ts'

/** The routes that one call may still be switched to, and why others were passed over. */
export class Alternatives {
  readonly #fallbacks: readonly Fallback[]
  readonly #request: GenerateOptions
  readonly #llm: Pick<LlmRuntime, 'unsupported'>
  readonly #tried: Route[]
  readonly #passedOver: string[] = []

  constructor(fallbacks: readonly Fallback[], request: GenerateOptions, llm: Pick<LlmRuntime, 'unsupported'>) {
    this.#fallbacks = fallbacks
    this.#request = request
    this.#llm = llm
    this.#tried = [{ provider: request.provider, model: request.model }]
  }

  /** Routes that were asked, in order; the first is the caller's own. */
  get tried(): readonly Route[] {
    return this.#tried
  }

  /** One reason for each route that could not be asked, naming what it cannot honour. */
  get passedOver(): readonly string[] {
    return this.#passedOver
  }

  /** Keeps the reason of a route that was asked and refused the request as it is. */
  passOver(reason: string): void {
    this.#passedOver.push(reason)
  }

  /** The next route for calls that fail with this code, if one is left. */
  take(code: string): Route | undefined {
    const fallback = this.#fallbacks.find(({ on }) => on.includes(code))
    for (const route of fallback?.to ?? []) {
      if (this.#tried.some((each) => isSameRoute(each, route))) continue
      this.#tried.push(route)
      const reason = this.#whyNot(route)
      if (reason === undefined) return route
      this.#passedOver.push(reason)
    }
    return undefined
  }

  #whyNot(route: Route): string | undefined {
    try {
      const names = this.#llm.unsupported({ ...this.#request, ...route })
      return names.length === 0 ? undefined : `${toName(route)} cannot honour ${names.join(', ')}`
    } catch (error) {
      if (isLlmError(error)) return `${toName(route)} cannot be reached (${error.code})`
      throw error
    }
  }
}

/** The fallbacks that concern a request, in their order. */
export function fallbacksFor(
  { provider, model }: GenerateOptions,
  fallbacks: readonly Fallback[],
): readonly Fallback[] {
  return fallbacks.filter(
    ({ from }) => from.provider === provider && (from.model === undefined || from.model === model),
  )
}

/** `provider/model`, as routes are named to people. */
export function toName({ provider, model }: Route): string {
  return `${provider}/${model}`
}

function isSameRoute(left: Route, right: Route): boolean {
  return left.provider === right.provider && left.model === right.model
}

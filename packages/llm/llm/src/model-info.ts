/** A route as it is offered to people. */
export interface LlmProviderInfo {
  readonly id: string
  readonly name: string
}

/** A model worth offering. */
export interface LlmModelInfo {
  readonly provider: string
  readonly id: string
  readonly name: string
  readonly description?: string | undefined
  /** For example `text`, `image`. */
  readonly inputModalities?: readonly string[] | undefined
}

/** One level of reasoning that a model offers. */
export interface ReasoningEffortInfo {
  readonly id: string
  readonly name: string
  readonly description?: string | undefined
}

/** What a million tokens cost, in US dollars; an absent price is unknown, 0 means free. */
export interface ModelPrice {
  readonly input?: number | undefined
  readonly output?: number | undefined
  readonly cacheRead?: number | undefined
  readonly cacheWrite?: number | undefined
}

/** Everything known about one model; an absent fact is unknown. */
export interface LlmResolvedModelInfo extends LlmModelInfo {
  /** `contextWindow` counts tokens, input and output together. */
  readonly context?: { readonly contextWindow: number } | undefined
  /** Tokens the provider generates at most when a request does not say. */
  readonly defaultMaxTokens?: number | undefined
  readonly reasoning?:
    | { readonly efforts: readonly ReasoningEffortInfo[]; readonly defaultEffort?: string | undefined }
    | undefined
  /** The list price; discounts, tiers and taxes are not in it. */
  readonly price?: ModelPrice | undefined
}

/** When a failed call is run again; durations in milliseconds, `maxAttempts` counts the first run. */
export interface RetryPolicy {
  readonly maxAttempts: number
  /** Waits and attempts together. */
  readonly maxElapsedMs: number
  readonly initialDelayMs: number
  readonly maxDelayMs: number
  /** A provider that asks for a longer wait is not waited for. */
  readonly maxProviderDelayMs: number
  /** Failure codes that are worth another attempt. */
  readonly codes: readonly string[]
  /** Until when a re-run is allowed: the first content a consumer saw, the end of the stream, or not at all. */
  readonly until: 'first-content' | 'finish' | 'never'
}

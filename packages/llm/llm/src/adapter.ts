import type { LlmModelInfo, LlmProviderInfo, LlmResolvedModelInfo, RetryPolicy } from './model-info.ts'
import type { GenerateOptions, StreamChunk } from './types.ts'

/** What an adapter is asked: the request, frozen, with the signal of this very run. */
export type AdapterRequest = GenerateOptions & { readonly signal: AbortSignal }

/** The optional parts of a request that some adapters cannot honour. */
export type OptionName =
  | 'reasoningEffort'
  | 'system'
  | 'tools'
  | 'temperature'
  | 'maxTokens'
  | 'stop'
  | 'toolChoice'
  | 'responseFormat'
  | 'topP'
  | 'seed'
  | 'headers'
  | 'providerOptions'

/** What an adapter honours when it says nothing else. */
export const DEFAULT_OPTIONS: ReadonlySet<OptionName> = new Set<OptionName>([
  'reasoningEffort',
  'system',
  'tools',
  'temperature',
  'maxTokens',
  'stop',
])

/**
 * Speaks one provider family for any number of routes. One instance may serve many calls at once; whatever belongs to
 * one call lives in the iterator that `stream` gives.
 */
export abstract class LlmAdapter {
  /** Options this adapter honours; the runtime refuses the others with `UNSUPPORTED_OPTION` before it dispatches. */
  readonly options: ReadonlySet<OptionName> = DEFAULT_OPTIONS
  /** A stand-in: whoever registers later for one of its routes gets that route instead of `DUPLICATE_ADAPTER`. */
  readonly givesWay: boolean = false

  /**
   * Answers one request in the stream grammar, or throws an `LlmError`, at any point. `request.signal` is aborted when
   * nobody waits any more; `return()` on the iterator must free everything the run holds.
   */
  abstract stream(request: AdapterRequest): AsyncIterable<StreamChunk>

  /** How the route is named to people. */
  providerInfo(provider: string): LlmProviderInfo {
    return { id: provider, name: provider }
  }

  /** Models worth offering; advisory, never a whitelist. */
  async listModels(_provider: string, _signal?: AbortSignal): Promise<readonly LlmModelInfo[]> {
    return []
  }

  /** Facts about one model, from local data where possible; an absent fact is unknown. */
  async resolveModel(provider: string, model: string, _signal?: AbortSignal): Promise<LlmResolvedModelInfo> {
    return { provider, id: model, name: model }
  }

  /** The retry policy this provider asks for; a retry listener may override it. */
  providerRetryPolicy(_provider: string): Partial<RetryPolicy> | undefined {
    return undefined
  }
}

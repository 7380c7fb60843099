import { type Context, type Disposer, Service, type Waterfall } from 'dsh-context'
import { abortable } from './abort.ts'
import { AdapterRegistry, type Registration } from './adapter-registry.ts'
import type { LlmAdapter } from './adapter.ts'
import type { AppIdentity } from './attribution.ts'
import { CallStarter } from './call-starter.ts'
import { unsupportedOptions } from './check-request.ts'
import type { Clock } from './clock.ts'
import { collect, type CollectedAnswer } from './collect.ts'
import {
  checkedModelInfo,
  checkedModelList,
  checkedProviderInfo,
  checkedRetryPolicy,
} from './model-info-check.ts'
import type { LlmModelInfo, LlmProviderInfo, LlmResolvedModelInfo, RetryPolicy } from './model-info.ts'
import { type LlmRuntimeConfig, resolveRuntimeConfig } from './runtime-config.ts'
import type { GenerateOptions, StreamChunk } from './types.ts'

declare module 'dsh-context' {
  interface Context {
    /** Calls to language models; there once `LlmRuntime` is loaded. */
    readonly llm: LlmRuntime
  }

  interface Events {
    /** Around every call. A listener reads the request and never rewrites it; to change it, `next(replacement)`. */
    'llm/stream': Waterfall<[request: GenerateOptions], AsyncIterable<StreamChunk>>
    /** After routes came, went or were exchanged. */
    'llm/adapters-updated': () => void
  }
}

/** The disposer of a registration, which can also exchange its routes. */
export interface AdapterRegistrationHandle extends Disposer {
  /**
   * Takes these routes instead of the present ones, all or nothing; none is allowed. Throws `DUPLICATE_ADAPTER` or
   * `INVALID_ADAPTER` and leaves everything as it was, or `REGISTRATION_DISPOSED`.
   */
  replace(providers: readonly string[]): void
}

/** The service `ctx.llm`: who answers for which provider, and every call to a model through `llm/stream`. */
export class LlmRuntime extends Service {
  static readonly provides = 'llm'

  readonly clock: Clock
  readonly identity: AppIdentity
  readonly drainMs: number
  /** For the package itself: routes and their owners. */
  readonly registry: AdapterRegistry = new AdapterRegistry()
  /** For the package itself: starts calls and knows those in flight. */
  readonly calls: CallStarter

  constructor(ctx: Context, config: LlmRuntimeConfig = {}) {
    super(ctx, 'llm')
    const { clock, drainMs, cleanupMs, identity } = resolveRuntimeConfig(config)
    this.clock = clock
    this.identity = identity
    this.drainMs = drainMs
    this.calls = new CallStarter({ registry: this.registry, clock, drainMs, cleanupMs })
    ctx.effect(() => () => this.calls.drainAll(ctx.owner))
  }

  /**
   * Gives routes to an adapter until the calling plugin is unloaded or the handle is called: routes go at once, runs may
   * finish within `drainMs`. Throws `INVALID_ADAPTER` or `DUPLICATE_ADAPTER` and changes nothing (L1).
   */
  registerAdapter(providers: readonly string[], adapter: LlmAdapter): AdapterRegistrationHandle {
    const { ctx, registry } = this
    let registration: Registration | undefined
    const dispose = ctx.effect(() => {
      const added = registry.add(providers, adapter, ctx.owner)
      registration = added
      return () => {
        registry.remove(added)
        ctx.emit('llm/adapters-updated')
        return this.calls.drainRuns(added)
      }
    })
    ctx.emit('llm/adapters-updated')
    return Object.assign(() => dispose(), {
      replace: (next: readonly string[]): void => {
        if (registration !== undefined) registry.replace(registration, next)
        ctx.emit('llm/adapters-updated')
      },
    })
  }

  /** Registered routes, in registration order. */
  listProviders(): readonly LlmProviderInfo[] {
    return this.registry.providers.map((id) =>
      checkedProviderInfo(this.registry.find(id).adapter.providerInfo(id), id),
    )
  }

  /** Models worth offering; advisory, never a whitelist. Rejects with `NO_ADAPTER` or `INVALID_CATALOG`. */
  async listModels(provider: string, signal?: AbortSignal): Promise<readonly LlmModelInfo[]> {
    const { adapter } = this.registry.find(provider)
    return checkedModelList(await abortable(adapter.listModels(provider, signal), signal), provider)
  }

  /** What is known about one model. Rejects with `NO_ADAPTER` or `INVALID_MODEL_INFO`. */
  async resolveModel(provider: string, model: string, signal?: AbortSignal): Promise<LlmResolvedModelInfo> {
    const { adapter } = this.registry.find(provider)
    const info = await abortable(adapter.resolveModel(provider, model, signal), signal)
    return checkedModelInfo(info, provider, model)
  }

  /** The retry policy that the provider's adapter asks for, if any. */
  providerRetryPolicy(provider: string): Partial<RetryPolicy> | undefined {
    return checkedRetryPolicy(this.registry.find(provider).adapter.providerRetryPolicy(provider), provider)
  }

  /** The given options that the provider's adapter would refuse with `UNSUPPORTED_OPTION`. */
  unsupported(options: GenerateOptions): readonly string[] {
    return unsupportedOptions(options, this.registry.find(options.provider).adapter)
  }

  /**
   * Streams one answer. Nothing runs before the first pull, and nothing is thrown here; failures of the call are its
   * `finish`, failures of listeners are thrown to the reader (L5–L7). May be read once.
   */
  stream(options: GenerateOptions): AsyncIterable<StreamChunk> {
    return this.calls.start(this.ctx, options)
  }

  /** `collect(stream(options))`: rejects only for what a listener or `onChunk` throws. */
  generate(options: GenerateOptions, onChunk?: (chunk: StreamChunk) => void): Promise<CollectedAnswer> {
    return collect(this.stream(options), onChunk)
  }
}

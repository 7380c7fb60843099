import { type Context, HarnessError, Service } from 'dsh-context'
import {
  type FinishChunk,
  type GenerateOptions,
  isLlmError,
  type LlmError,
  rerunStream,
  type RetryPolicy,
  type StreamChunk,
  StreamPriority,
} from 'dsh-llm'
import type { RetryConfig } from './config.ts'
import { RetryCall, type RetryHost } from './retry-call.ts'
import { RetryPolicies } from './retry-policies.ts'

declare module 'dsh-context' {
  interface Context {
    /** Who retries the calls of this scope; there once the plugin `retry` is loaded. */
    readonly llmRetry: LlmRetry
  }

  interface Events {
    /** For the package itself: sent from each scope that has retry when another one loads it. */
    'llm/retry-sought': () => void
  }
}

/** The service `ctx.llmRetry`: a listener of `llm/stream` that runs failed calls again, as long as nothing was shown. */
export class LlmRetry extends Service {
  /** For the package itself. */
  readonly policies: RetryPolicies

  constructor(ctx: Context, config: RetryConfig) {
    assertAlone(ctx)
    super(ctx, 'llmRetry')
    ctx.effect(() => {
      loadedIn.add(ctx)
      return () => void loadedIn.delete(ctx)
    })
    const { clock = ctx.llm.clock, random = Math.random, ...policies } = config
    this.policies = new RetryPolicies(policies, ctx.llm)
    const host: RetryHost = { ctx, clock, random }
    ctx.on('llm/adapters-updated', () => this.policies.forget())
    ctx.on('llm/stream', (request, next) => retryStream(host, { policies: this.policies, request, next }), {
      priority: StreamPriority.retry,
    })
  }

  /** The policy that holds for a provider now, frozen. Throws `INVALID_CATALOG` if its adapter asks for nonsense. */
  policyOf(provider: string): RetryPolicy {
    return this.policies.of(provider)
  }
}

/** Where retry is loaded, in all of the process: a scope knows what is above it, but not what is below. */
const loadedIn = new Set<Context>()

/** Two would multiply each other's attempts, in child scopes as well: those hear the listener of their parent. */
function assertAlone(ctx: Context): void {
  if (ctx.get('llmRetry') === undefined && !isLoadedBelow(ctx)) return
  const advice = 'give the one there is a policy per provider, or dispose of it first'
  throw new HarnessError(
    `Could not load retry: calls of this scope or of one below are retried already, and two would multiply their attempts; ${advice}`,
    'DUPLICATE_SERVICE',
  )
}

/** Whether this scope hears what is sent from one where retry is loaded, as it would hear the calls made there. */
function isLoadedBelow(ctx: Context): boolean {
  let isHeard = false
  const stopListening = ctx.on('llm/retry-sought', () => {
    isHeard = true
  })
  for (const other of loadedIn) other.emit('llm/retry-sought')
  void stopListening()
  return isHeard
}

interface Call {
  readonly policies: RetryPolicies
  readonly request: GenerateOptions
  readonly next: (...replacement: [GenerateOptions] | []) => AsyncIterable<StreamChunk>
}

function retryStream(host: RetryHost, { policies, request, next }: Call): AsyncIterable<StreamChunk> {
  let policy: RetryPolicy
  try {
    policy = policies.of(request.provider)
  } catch (error) {
    if (isLlmError(error)) return failAtOnce(request, error)
    throw error
  }
  const { until } = policy
  if (until === 'never') return next()
  const call = new RetryCall(host, { policy, request, next })
  return rerunStream(next(), { until, judge: (failed) => call.judge(failed) })
}

/** An adapter with an unusable policy is a fault of its provider, so it ends the call and is not thrown. */
async function* failAtOnce(
  { provider, model }: GenerateOptions,
  { failure }: LlmError,
): AsyncGenerator<FinishChunk, undefined> {
  const reason = Object.freeze({ kind: 'error' as const, failure })
  yield Object.freeze({ type: 'finish', reason, response: Object.freeze({ provider, model }) })
}

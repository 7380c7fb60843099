import { isLlmError, LlmError, type LlmRuntime, normaliseFailure, type RetryPolicy } from 'dsh-llm'
import { getDotPath, safeParse } from 'valibot'
import { policySchema, type RetryConfig, type RetryPolicyConfig } from './config.ts'

/** What holds where nobody says otherwise. */
export const DEFAULT_RETRY_POLICY: RetryPolicy = Object.freeze({
  maxAttempts: 4,
  maxElapsedMs: 180_000,
  initialDelayMs: 500,
  maxDelayMs: 30_000,
  maxProviderDelayMs: 60_000,
  codes: Object.freeze([
    'RATE_LIMIT',
    'OVERLOADED',
    'SERVER',
    'TIMEOUT',
    'TRANSPORT',
    'STREAM_CLOSED',
    'MALFORMED_RESPONSE',
    'EMPTY_RESPONSE',
    'INSUFFICIENT_SYSTEM_RESOURCE',
  ]),
  until: 'first-content',
})

/** The policy of each provider, resolved at its first call and remembered until adapters change. */
export class RetryPolicies {
  readonly #config: RetryConfig
  readonly #llm: Pick<LlmRuntime, 'providerRetryPolicy'>
  readonly #known = new Map<string, RetryPolicy>()

  constructor(config: RetryConfig, llm: Pick<LlmRuntime, 'providerRetryPolicy'>) {
    this.#config = config
    this.#llm = llm
  }

  /**
   * Config of the provider, else what its adapter asks for, else config for all, else the default; part by part.
   * Frozen, and the same object each time. Throws `INVALID_CATALOG` for an adapter whose wish is no policy.
   */
  of(provider: string): RetryPolicy {
    const known = this.#known.get(provider)
    if (known !== undefined) return known
    const wish = this.#wishOf(provider)
    const { providers = {}, ...forAll } = this.#config
    const own = Object.hasOwn(providers, provider) ? providers[provider] : undefined
    const policy = resolve([own, wish, forAll])
    // A name that nobody owns is not remembered: there is no end of those.
    if (wish !== undefined) this.#known.set(provider, policy)
    return policy
  }

  forget(): void {
    this.#known.clear()
  }

  /** Nothing for a route without an adapter: that is for the call itself to say. */
  #wishOf(provider: string): RetryPolicyConfig | undefined {
    const wish = this.#ask(provider)
    if (wish === undefined) return undefined
    const checked = safeParse(policySchema, wish)
    if (checked.success) return checked.output
    const faults = checked.issues.map((issue) => `${getDotPath(issue) ?? 'it'} ${issue.message}`).join('; ')
    const text = `The adapter of provider "${provider}" asks for a retry policy that is none: ${faults}`
    throw new LlmError(text, 'INVALID_CATALOG')
  }

  #ask(provider: string): unknown {
    try {
      return this.#llm.providerRetryPolicy(provider) ?? {}
    } catch (error) {
      if (!isLlmError(error)) throw unaskable(provider, error)
      if (error.code === 'NO_ADAPTER') return undefined
      throw error
    }
  }
}

/** A bug of the adapter's is a fault of its provider, and none of the plugin that asks. */
function unaskable(provider: string, cause: unknown): LlmError {
  const { message } = normaliseFailure(cause)
  const text = `The adapter of provider "${provider}" could not be asked for its retry policy: ${message}`
  return new LlmError(text, 'INVALID_CATALOG', { cause })
}

/** Of each part the first that is given. */
function resolve(sources: readonly (RetryPolicyConfig | undefined)[]): RetryPolicy {
  const pick = <Name extends keyof RetryPolicy>(name: Name): RetryPolicy[Name] => {
    for (const source of sources) if (source?.[name] !== undefined) return source[name]
    return DEFAULT_RETRY_POLICY[name]
  }
  return Object.freeze({
    maxAttempts: pick('maxAttempts'),
    maxElapsedMs: pick('maxElapsedMs'),
    initialDelayMs: pick('initialDelayMs'),
    maxDelayMs: pick('maxDelayMs'),
    maxProviderDelayMs: pick('maxProviderDelayMs'),
    codes: Object.freeze([...pick('codes')]),
    until: pick('until'),
  })
}

import type { PluginObject } from 'dsh-context'
import { configSchema, type RetryConfig } from './config.ts'
import { LlmRetry } from './llm-retry.ts'

export type { RetryConfig, RetryPolicyConfig } from './config.ts'
export { LlmRetry } from './llm-retry.ts'
export { DEFAULT_RETRY_POLICY } from './retry-policies.ts'

/** Retries failed calls of every provider, each by its own policy. One per scope. */
const retry: PluginObject<RetryConfig | undefined, RetryConfig> = {
  name: 'retry',
  inject: ['llm'],
  Config: configSchema,
  apply(ctx, config) {
    // The loader publishes what claims a key while it loads.
    void new LlmRetry(ctx, config)
  },
}

export default retry

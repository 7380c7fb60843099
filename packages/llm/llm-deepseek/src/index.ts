import type { PluginObject } from 'dsh-context'
import { DeepSeekAdapter } from './adapter.ts'
import { configSchema, type DeepSeekConfig } from './config.ts'

export { DeepSeekAdapter, type DeepSeekAdapterOptions } from './adapter.ts'
export { DEFAULT_BASE_URL } from './base-url.ts'
export type { DeepSeekConfig } from './config.ts'
export { deepSeekDialect } from './dialect.ts'
export { MAX_OUTPUT_TOKENS, models } from './models.ts'
export type { DeepSeekOptions } from './provider-options.ts'

/** Registers one adapter for the route `deepseek`, or another one the config names. */
const deepseek: PluginObject<DeepSeekConfig | undefined> = {
  name: 'deepseek',
  inject: ['llm'],
  Config: configSchema,
  apply(ctx, { provider = 'deepseek', ...options } = {}) {
    const { identity = ctx.llm.identity, clock = ctx.llm.clock } = options
    ctx.llm.registerAdapter([provider], new DeepSeekAdapter({ ...options, identity, clock }))
  },
}

export default deepseek

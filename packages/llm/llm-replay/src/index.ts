import type { PluginObject } from 'dsh-context'
import { configSchema, type ReplayConfig } from './config.ts'
import { LlmReplay } from './llm-replay.ts'

export type { ReplayConfig, ReplayMode } from './config.ts'
export { LlmReplay } from './llm-replay.ts'
export type { RedactConfig } from './redact/redactor.ts'
export type { ReplayReport, UnusedCall } from './replay-report.ts'

/** Records runs of adapters to a file, or answers from one. One per scope. */
const replay: PluginObject<ReplayConfig> = {
  name: 'replay',
  inject: ['llm'],
  Config: configSchema,
  apply(ctx, config) {
    // The loader publishes what claims a key while it loads.
    void new LlmReplay(ctx, config)
  },
}

export default replay

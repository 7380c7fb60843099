import { connectionEntries, httpAddress, plainObject } from 'dsh-llm-openai-compatible'
import * as v from 'valibot'
import type { DeepSeekAdapterOptions } from './adapter.ts'

/** The plugin's config; everything has a default. */
export interface DeepSeekConfig extends DeepSeekAdapterOptions {
  /** The route, `deepseek` by default. */
  readonly provider?: string | undefined
}

/** Checks the plugin's config; every issue names its path, and a name it does not know is one. */
export const configSchema: v.GenericSchema<DeepSeekConfig | undefined> = v.optional(
  plainObject(
    v.strictObject({
      ...connectionEntries,
      provider: v.optional(v.pipe(v.string(), v.nonEmpty('must not be empty'))),
      baseURL: v.optional(httpAddress),
      betaBaseURL: v.optional(httpAddress),
    }),
  ),
)

import { createFailure } from './failure-facts.ts'
import type { LlmFailure } from './types.ts'

/** The failure of calls that an unload ended, naming the plugin that went. */
export function unloadFailure(plugin: string): LlmFailure {
  return createFailure(`The plugin "${plugin}" was unloaded while the call was running`, 'ABORTED')
}

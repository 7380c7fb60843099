import type { StandardSchemaV1 } from '@standard-schema/spec'
import { HarnessError } from './harness-error.ts'
import type { ParsedPlugin } from './plugin.ts'

/** The config as the plugin's schema gives it back; a promise only if the schema answers with one. */
export function parseConfig(plugin: ParsedPlugin, config: unknown): unknown {
  if (plugin.schema === undefined) return config
  const result = plugin.schema['~standard'].validate(config)
  return result instanceof Promise ? result.then((late) => toOutput(plugin, late)) : toOutput(plugin, result)
}

function toOutput(plugin: ParsedPlugin, result: StandardSchemaV1.Result<unknown>): unknown {
  if (result.issues === undefined) return result.value
  const issues = result.issues.map(describe).join('; ')
  throw new HarnessError(
    `Could not load plugin "${plugin.name}": its config is invalid: ${issues}`,
    'INVALID_CONFIG',
  )
}

function describe({ path = [], message }: StandardSchemaV1.Issue): string {
  const keys = path.map((segment) => String(typeof segment === 'object' ? segment.key : segment))
  return `${keys.join('.') || 'config'}: ${message}`
}

import * as v from 'valibot'
import type { OpenAiCompatibleAdapterOptions } from './adapter.ts'
import * as value from './config-values.ts'
import type { Dialect } from './dialect.ts'
import { type DialectName, dialects } from './dialects.ts'

/** One route of the plugin: a server and how it is spoken to. */
export interface ProviderConfig extends Omit<OpenAiCompatibleAdapterOptions, 'dialect'> {
  /** The name of a preset or a dialect of one's own; `generic` by default. */
  readonly dialect?: DialectName | Dialect | undefined
}

/** Routes by the name under which the runtime is to know them. */
export interface OpenAiCompatibleConfig {
  readonly providers: Readonly<Record<string, ProviderConfig>>
}

type Optional<Value> = v.OptionalSchema<v.GenericSchema<Value>, undefined>

/** The options that every package of this wire family takes, for its own `v.strictObject`. */
export type ConnectionEntries = {
  readonly [Name in Exclude<keyof ProviderConfig, 'baseURL' | 'dialect'>]-?: Optional<
    NonNullable<ProviderConfig[Name]>
  >
}

/** Schemas of everything but the address and the dialect. */
export const connectionEntries: ConnectionEntries = {
  apiKey: v.optional(value.apiKey),
  apiKeyEnv: v.optional(value.text),
  headers: v.optional(value.headers),
  limits: v.optional(value.limits),
  models: v.optional(value.models),
  displayName: v.optional(value.text),
  identity: v.optional(value.identity),
  // What a policy may say is the business of whoever retries.
  retryPolicy: v.optional(value.plainObject(v.looseObject({}))),
  fetch: v.optional(value.callable<typeof globalThis.fetch>()),
  clock: v.optional(value.clock),
  onRequest: v.optional(value.callable<NonNullable<ProviderConfig['onRequest']>>()),
  onResponse: v.optional(value.callable<NonNullable<ProviderConfig['onResponse']>>()),
}

const provider: v.GenericSchema<ProviderConfig> = value.plainObject(
  v.strictObject({
    ...connectionEntries,
    baseURL: value.httpAddress,
    dialect: v.optional(value.dialect),
  }),
)

/** Checks the plugin's config; every issue names its path. */
export const configSchema: v.GenericSchema<OpenAiCompatibleConfig> = value.plainObject(
  v.strictObject({ providers: value.plainObject(v.record(value.text, provider)) }),
)

/** The dialect a config means; absent stays absent, for which the adapter has its own. */
export function resolveDialect(given: DialectName | Dialect | undefined): Dialect | undefined {
  return typeof given === 'string' ? dialects[given] : given
}

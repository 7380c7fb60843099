import type { ApiKeySource, AppIdentity } from 'dsh-llm'
import { DEFAULT_LIMITS, type HttpLimitOptions } from 'dsh-llm-http'
import * as v from 'valibot'
import type { OpenAiCompatibleAdapterOptions } from './adapter.ts'
import type { Dialect } from './dialect.ts'
import { type DialectName, dialects } from './dialects.ts'
import type { DeclaredModel } from './models.ts'

/** One route of the plugin: a server and how it is spoken to. */
export interface ProviderConfig extends Omit<OpenAiCompatibleAdapterOptions, 'dialect'> {
  /** The name of a preset or a dialect of one's own; `generic` by default. */
  readonly dialect?: DialectName | Dialect | undefined
}

/** Routes by the name under which the runtime is to know them. */
export interface OpenAiCompatibleConfig {
  readonly providers: Readonly<Record<string, ProviderConfig>>
}

const text = v.pipe(v.string(), v.nonEmpty('must not be empty'))
const count = v.pipe(v.number(), v.safeInteger(), v.minValue(1))
const milliseconds = v.pipe(v.number(), v.minValue(0))

const httpAddress = v.pipe(
  v.string(),
  v.check(
    (value) => /^https?:/i.test(value) && URL.canParse(value),
    'must be an absolute http: or https: address',
  ),
)

/** A function cannot be checked further than that it is one. */
function callable<Callable>(): v.GenericSchema<Callable> {
  return v.custom<Callable>((value) => typeof value === 'function', 'must be a function')
}

const limitEntries = Object.fromEntries(
  Object.keys(DEFAULT_LIMITS).map((name) => [name, v.optional(milliseconds)]),
)

const effort = v.union([text, v.strictObject({ id: text, name: text, description: v.optional(v.string()) })])

const model: v.GenericSchema<DeclaredModel> = v.strictObject({
  id: text,
  name: v.optional(text),
  description: v.optional(v.string()),
  inputModalities: v.optional(v.array(text)),
  contextWindow: v.optional(count),
  defaultMaxTokens: v.optional(count),
  efforts: v.optional(v.array(effort)),
  defaultEffort: v.optional(text),
})

const dialect = v.custom<DialectName | Dialect>(
  (value) => (typeof value === 'string' ? Object.hasOwn(dialects, value) : isDialect(value)),
  `must be a Dialect or one of ${Object.keys(dialects).join(', ')}`,
)

/** Dialects are made by `createDialect`, so their parts are there if these are. */
function isDialect(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'request' in value && 'response' in value
}

const limits: v.GenericSchema<HttpLimitOptions> = v.strictObject(limitEntries)
const identity: v.GenericSchema<AppIdentity> = v.strictObject({
  product: text,
  version: text,
  url: v.optional(text),
})
const apiKey: v.GenericSchema<ApiKeySource> = v.union(
  [v.string(), callable<Exclude<ApiKeySource, string>>()],
  'must be a string or a function that gives one',
)

type Optional<Value> = v.OptionalSchema<v.GenericSchema<Value>, undefined>

/** The options that every package of this wire family takes, for its own `v.strictObject`. */
export type ConnectionEntries = {
  readonly [Name in Exclude<keyof ProviderConfig, 'baseURL' | 'dialect'>]-?: Optional<
    NonNullable<ProviderConfig[Name]>
  >
}

/** Schemas of everything but the address and the dialect. */
export const connectionEntries: ConnectionEntries = {
  apiKey: v.optional(apiKey),
  apiKeyEnv: v.optional(text),
  headers: v.optional(v.record(v.string(), v.string())),
  limits: v.optional(limits),
  models: v.optional(v.array(model)),
  displayName: v.optional(text),
  identity: v.optional(identity),
  retryPolicy: v.optional(
    v.custom<NonNullable<ProviderConfig['retryPolicy']>>(isPlainObject, 'must be an object'),
  ),
  fetch: v.optional(callable<typeof globalThis.fetch>()),
  clock: v.optional(v.custom<NonNullable<ProviderConfig['clock']>>(isPlainObject, 'must be a Clock')),
  onRequest: v.optional(callable<NonNullable<ProviderConfig['onRequest']>>()),
  onResponse: v.optional(callable<NonNullable<ProviderConfig['onResponse']>>()),
}

function isPlainObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null
}

/** Checks the plugin's config; every issue names its path. */
export const configSchema: v.GenericSchema<OpenAiCompatibleConfig> = v.strictObject({
  providers: v.record(
    text,
    v.strictObject({ ...connectionEntries, baseURL: httpAddress, dialect: v.optional(dialect) }),
  ),
})

/** The dialect a config means. */
export function resolveDialect(given: DialectName | Dialect = 'generic'): Dialect {
  return typeof given === 'string' ? dialects[given] : given
}

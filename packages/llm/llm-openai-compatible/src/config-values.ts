import { type ApiKeySource, type AppIdentity, attributionHeaders, type Clock, isClock } from 'dsh-llm'
import { DEFAULT_LIMITS, type HttpLimitOptions, isLegalHeader } from 'dsh-llm-http'
import * as v from 'valibot'
import type { Dialect } from './dialect.ts'
import { type DialectName, dialects } from './dialects.ts'
import type { DeclaredModel } from './models.ts'

/**
 * Lets only plain objects through to a schema of objects, for which an array or a map is an object with nothing in it.
 * The issue never shows the value: a key may stand where an object was expected.
 */
export function plainObject<Value>(schema: v.GenericSchema<Value>): v.GenericSchema<Value> {
  return v.pipe(
    v.custom<Value>(
      (value) => Object.prototype.toString.call(value) === '[object Object]',
      'must be a plain object',
    ),
    schema,
  )
}

/** A function cannot be checked further than that it is one. */
export function callable<Callable>(): v.GenericSchema<Callable> {
  return v.custom<Callable>((value) => typeof value === 'function', 'must be a function')
}

/** A name, a path, an id: never empty. */
export const text: v.GenericSchema<string> = v.pipe(
  v.string('must be a string'),
  v.nonEmpty('must not be empty'),
)

/** Query and path are allowed, another protocol is not. */
export const httpAddress: v.GenericSchema<string> = v.pipe(
  v.string('must be a string'),
  v.check(
    (value) => /^https?:/i.test(value) && URL.canParse(value),
    'must be an absolute http: or https: address',
  ),
)

/** A string may be empty: whoever resolves the key says what is wrong with it. */
export const apiKey: v.GenericSchema<ApiKeySource> = v.union(
  [v.string(), callable<Exclude<ApiKeySource, string>>()],
  'must be a string or a function that gives one',
)

/** Names and values as HTTP allows them, so that none fails only when it is sent. */
export const headers: v.GenericSchema<Record<string, string>> = plainObject(
  v.record(
    v.pipe(
      v.string(),
      v.check((name) => isLegalHeader(name, ''), 'is no legal header name'),
    ),
    v.pipe(
      v.string('must be a string'),
      v.check((value) => isLegalHeader('x', value), 'has characters that HTTP forbids'),
    ),
  ),
)

const count = v.pipe(v.number('must be a number'), v.safeInteger(), v.minValue(1))
const milliseconds = v.pipe(v.number('must be a number'), v.finite(), v.minValue(0))

// Sizes must be whole numbers; times need not be, and 0 switches one off.
const limitEntries = Object.fromEntries(
  Object.keys(DEFAULT_LIMITS).map((name) => [
    name,
    v.optional<v.GenericSchema<number>>(name.endsWith('Bytes') ? count : milliseconds),
  ]),
)

/** The limits of `dsh-llm-http` by their own names, each with its default. */
export const limits: v.GenericSchema<HttpLimitOptions> = plainObject(v.strictObject(limitEntries))

const effort = v.union([
  text,
  plainObject(v.strictObject({ id: text, name: text, description: v.optional(v.string('must be a string')) })),
])

const model: v.GenericSchema<DeclaredModel> = v.pipe(
  v.strictObject({
    id: text,
    name: v.optional(text),
    description: v.optional(v.string('must be a string')),
    inputModalities: v.optional(v.array(text, 'must be a list')),
    contextWindow: v.optional(count),
    defaultMaxTokens: v.optional(count),
    efforts: v.optional(
      v.pipe(
        v.array(effort, 'must be a list'),
        v.check((efforts) => isUnique(efforts), 'lists an effort twice'),
      ),
    ),
    defaultEffort: v.optional(text),
  }),
  v.check((facts) => knowsItsDefaultEffort(facts), 'has a defaultEffort that is not one of its efforts'),
)

/** Declared models; two of one id would leave it to chance which one counts. */
export const models: v.GenericSchema<readonly DeclaredModel[]> = v.pipe(
  v.array(plainObject(model), 'must be a list'),
  v.check((list) => isUnique(list), 'lists a model twice'),
)

type Identified = string | { readonly id: string }

function isUnique(entries: readonly Identified[]): boolean {
  return new Set(entries.map(idOf)).size === entries.length
}

function knowsItsDefaultEffort({ efforts = [], defaultEffort }: DeclaredModel): boolean {
  return defaultEffort === undefined || efforts.some((each) => idOf(each) === defaultEffort)
}

function idOf(entry: Identified): string {
  return typeof entry === 'string' ? entry : entry.id
}

/** Sent in `user-agent`, so it must fit into a header. */
export const identity: v.GenericSchema<AppIdentity> = v.pipe(
  plainObject(v.strictObject({ product: text, version: text, url: v.optional(text) })),
  v.check((value) => isSendable(value), 'cannot be sent as user-agent, use visible ASCII characters'),
)

function isSendable(value: AppIdentity): boolean {
  try {
    attributionHeaders(value)
    return true
  } catch {
    return false
  }
}

/** A clock, told by its two functions, which is all that is called. */
export const clock: v.GenericSchema<Clock> = v.custom<Clock>(isClock, 'must be a Clock')

/** The name of a preset, or a dialect with every rule there is. */
export const dialect: v.GenericSchema<DialectName | Dialect> = v.custom<DialectName | Dialect>(
  (value) => (typeof value === 'string' ? Object.hasOwn(dialects, value) : isDialect(value)),
  `must be a Dialect, as createDialect makes them, or one of ${Object.keys(dialects).join(', ')}`,
)

function isDialect(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  const { request, response } = dialects.generic
  return has(value, 'request', Object.keys(request)) && has(value, 'response', Object.keys(response))
}

/** Dialects are made by `createDialect`, so their parts are right if they are there. */
function has(value: object, part: string, names: readonly string[]): boolean {
  const rules: unknown = Reflect.get(value, part)
  return typeof rules === 'object' && rules !== null && names.every((name) => name in rules)
}

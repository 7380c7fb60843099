import { type Clock, isClock, type RetryPolicy } from 'dsh-llm'
import * as v from 'valibot'

/** Parts of a policy; what is left out comes from further down the order of precedence. */
export type RetryPolicyConfig = {
  readonly [Name in keyof RetryPolicy]?: RetryPolicy[Name] | undefined
}

/** A policy for all providers, some with parts of their own. */
export interface RetryConfig extends RetryPolicyConfig {
  /** By route; these win over what an adapter asks for, which wins over the policy for all. */
  readonly providers?: Readonly<Record<string, RetryPolicyConfig>> | undefined
  /** Time; the runtime's by default. */
  readonly clock?: Clock | undefined
  /** From 0 up to, but not including, 1; `Math.random` by default. */
  readonly random?: (() => number) | undefined
}

/** What platforms' timers can wait; a longer wait would end at once. */
const longestTimerMs = 2 ** 31 - 1

const durationMs = v.pipe(
  v.number('must be a number of milliseconds'),
  v.finite('must be finite'),
  v.minValue(0, 'must be 0 or more'),
)

const delayMs = v.pipe(durationMs, v.maxValue(longestTimerMs, `must be ${longestTimerMs} or less`))

const code = v.pipe(v.string('must be a code'), v.regex(/\S/, 'must not be blank'))

const policyEntries = {
  maxAttempts: v.optional(
    v.pipe(
      v.number('must be a number'),
      v.safeInteger('must be a whole number'),
      v.minValue(1, 'must be 1 or more'),
    ),
  ),
  maxElapsedMs: v.optional(durationMs),
  initialDelayMs: v.optional(delayMs),
  maxDelayMs: v.optional(delayMs),
  maxProviderDelayMs: v.optional(delayMs),
  codes: v.optional(v.array(code, 'must be a list of codes')),
  until: v.optional(v.picklist(['first-content', 'finish', 'never'], 'must be first-content, finish or never')),
}

/** Checks what an adapter asks for, as strictly as the plugin's own config. */
export const policySchema: v.GenericSchema<RetryPolicyConfig> = plainObject(v.strictObject(policyEntries))

/** Checks the plugin's config; every issue names its path. */
export const configSchema: v.GenericSchema<RetryConfig | undefined, RetryConfig> = v.optional(
  plainObject(
    v.strictObject({
      ...policyEntries,
      providers: v.optional(plainObject(v.record(v.string(), policySchema))),
      clock: v.optional(v.custom<Clock>(isClock, 'must be a Clock')),
      random: v.optional(v.custom<() => number>(isFunction, 'must be a function')),
    }),
  ),
  {},
)

/** For a schema of objects a list is an object with nothing in it. */
function plainObject<Value>(schema: v.GenericSchema<Value>): v.GenericSchema<Value> {
  const isPlain = v.custom<Value>(
    (value) => Object.prototype.toString.call(value) === '[object Object]',
    'must be a plain object',
  )
  return v.pipe(isPlain, schema)
}

function isFunction(value: unknown): boolean {
  return typeof value === 'function'
}

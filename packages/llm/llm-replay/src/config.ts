import { type Clock, isClock, parsePathRule } from 'dsh-llm'
import * as v from 'valibot'
import type { RedactConfig } from './redact/redactor.ts'

/**
 * `record` begins a new recording; `replay` answers from one and asks nobody; `auto` answers what is recorded and adds
 * what is missing; `off` stands aside.
 */
export type ReplayMode = 'record' | 'replay' | 'auto' | 'off'

/** What is recorded where, and how calls find their answers again. */
export interface ReplayConfig {
  readonly mode: ReplayMode
  /** Path of the recording; folders are made. */
  readonly file: string
  /** By position in each session, the default, or by request alone. */
  readonly match?: 'session' | 'fingerprint' | undefined
  /** Paths of the request that do not count and are not written, such as `messages[*].content`. */
  readonly ignore?: readonly string[] | undefined
  readonly redact?: RedactConfig | undefined
  /** `recorded` waits between chunks as long as the recorded run did; `none` is the default. */
  readonly pacing?: 'none' | 'recorded' | undefined
  /** Time; the runtime's by default. */
  readonly clock?: Clock | undefined
}

const filled = v.pipe(v.string('must be a text'), v.regex(/\S/, 'must not be blank'))
/** One step or more: names, indices, `*`, quoted names. */
const pathSyntax = /^(?:[^.[\]"]+|\[(?:\*|\d+|"[^"]*")\])(?:\.[^.[\]"]+|\[(?:\*|\d+|"[^"]*")\])*$/

/** Paths that leave what nobody could read a line again without; `depth` steps into a list name one of its items. */
function sparing(needed: readonly string[], depth: number) {
  const path = v.pipe(
    filled,
    v.regex(pathSyntax, 'is no path, such as messages[*].content'),
    v.check((text) => {
      const [first = '', ...rest] = parsePathRule(text.trim())
      return rest.length > depth || (rest.length > 0 && !lists.has(first)) || !needed.includes(first)
    }, 'is needed whole; name what is in it, such as messages[*].content'),
  )
  return v.array(path, 'must be a list of paths')
}

const lists: ReadonlySet<string> = new Set(['messages', 'chunks', '*'])

const redactSchema = plainObject(
  v.strictObject({
    secrets: v.optional(v.array(v.pipe(filled, v.minLength(6, 'must have 6 characters or more')))),
    patterns: v.optional(v.array(v.instance(RegExp, 'must be a regular expression'))),
    paths: v.optional(sparing(['provider', 'model', 'messages', 'chunks', '*'], 1)),
    hook: v.optional(v.custom<(text: string) => string>(isFunction, 'must be a function')),
  }),
)

/** Checks the plugin's config; every issue names its path. */
export const configSchema: v.GenericSchema<ReplayConfig> = plainObject(
  v.strictObject({
    mode: v.picklist(['record', 'replay', 'auto', 'off'], 'must be record, replay, auto or off'),
    file: filled,
    match: v.optional(v.picklist(['session', 'fingerprint'], 'must be session or fingerprint')),
    ignore: v.optional(sparing(['provider', 'model', 'messages', '*'], 0)),
    redact: v.optional(redactSchema),
    pacing: v.optional(v.picklist(['none', 'recorded'], 'must be none or recorded')),
    clock: v.optional(v.custom<Clock>(isClock, 'must be a Clock')),
  }),
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

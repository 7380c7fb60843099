import type { JsonObject, JsonValue } from './json.ts'
import { isPlainObject, memberPath } from './plain-data.ts'

/** Where detached data breaks a rule: the place, what stands there, and what should. */
export interface RuleFault {
  readonly path: string
  readonly value: JsonValue | undefined
  readonly expected: string
}

/** Gives the first fault of a value at `path`, or `undefined`. */
export type Rule = (value: JsonValue | undefined, path: string) => RuleFault | undefined

/** A rule from a plain test and the words for what passes it. */
function rule(expected: string, test: (value: JsonValue | undefined) => boolean): Rule {
  return (value, path) => (test(value) ? undefined : { path, value, expected })
}

/** Any text, an empty one included. */
export const text: Rule = rule('a string', (value) => typeof value === 'string')

/** A text that names something. */
export const filledText: Rule = rule(
  'a non-blank string',
  (value) => typeof value === 'string' && value.trim() !== '',
)

/** A count that JSON carries exactly. */
export const positiveCount: Rule = rule(
  'a whole number above 0',
  (value) => Number.isSafeInteger(value) && Number(value) > 0,
)

/** Milliseconds; zero means at once. */
export const duration: Rule = rule(
  'a number of milliseconds, not negative',
  (value) => typeof value === 'number' && value >= 0,
)

/** Only this very value. */
export function exactly(wanted: string): Rule {
  return rule(JSON.stringify(wanted), (value) => value === wanted)
}

/** One of a few texts. */
export function oneOf(choices: readonly string[]): Rule {
  return rule(`one of ${choices.join(', ')}`, (value) => typeof value === 'string' && choices.includes(value))
}

/** Absent is fine. */
export function optional(inner: Rule): Rule {
  return (value, path) => (value === undefined ? undefined : inner(value, path))
}

/** A list whose items keep a rule; with `uniqueBy`, no two have the same text under that key. */
export function listOf(item: Rule, uniqueBy?: string): Rule {
  return (value, path) => {
    if (!isList(value)) return { path, value, expected: 'a list' }
    const seen = new Set<JsonValue | undefined>()
    for (const [index, entry] of value.entries()) {
      const itemPath = memberPath(path, index)
      const fault = item(entry, itemPath)
      if (fault !== undefined) return fault
      const key = uniqueBy === undefined || !isObject(entry) ? index : entry[uniqueBy]
      if (seen.has(key)) return { path: itemPath, value: key, expected: `the only one with this ${uniqueBy}` }
      seen.add(key)
    }
    return undefined
  }
}

/** An object whose named fields keep their rules; other fields are free. */
export function fields(rules: Readonly<Record<string, Rule>>): Rule {
  return (value, path) => {
    if (!isObject(value)) return { path, value, expected: 'an object' }
    for (const [key, check] of Object.entries(rules)) {
      const fault = check(value[key], memberPath(path, key))
      if (fault !== undefined) return fault
    }
    return undefined
  }
}

function isList(value: JsonValue | undefined): value is readonly JsonValue[] {
  return Array.isArray(value)
}

function isObject(value: JsonValue | undefined): value is JsonObject {
  return isPlainObject(value)
}

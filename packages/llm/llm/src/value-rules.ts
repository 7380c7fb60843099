import { isPlainObject, memberPath } from './plain-data.ts'
import { printed } from './printed.ts'

/** Where data breaks a rule: the place, what stands there, and what should. */
export interface RuleFault {
  readonly path: string
  readonly value: unknown
  readonly expected: string
}

/** Gives the first fault of a value at `path`, or `undefined`. */
export type Rule = (value: unknown, path: string) => RuleFault | undefined

type Rules = Readonly<Record<string, Rule>>
type Fields = Readonly<Record<string, unknown>>

/** A fault as the part of an error text that says what must change. */
export function describeFault({ path, value, expected }: RuleFault): string {
  return `${path === '' ? 'it' : path} must be ${expected}, but is ${printed(value)}`
}

/** A rule from a plain test and the words for what passes it. */
export function rule(expected: string, test: (value: unknown) => boolean): Rule {
  return (value, path) => (test(value) ? undefined : { path, value, expected })
}

/** Any text, an empty one included. */
export const text: Rule = matching(/^/, 'a string')

/** A text that is there, be it blank. */
export const someText: Rule = matching(/./s, 'a non-empty string')

/** A text that names something. */
export const filledText: Rule = matching(/\S/, 'a non-blank string')

/** A text that a pattern describes. */
export function matching(pattern: RegExp, expected: string): Rule {
  return rule(expected, (value) => typeof value === 'string' && pattern.test(value))
}

/** A count that JSON carries exactly. */
export const positiveCount: Rule = rule(
  'a whole number above 0',
  (value) => Number.isSafeInteger(value) && Number(value) > 0,
)

/** A price; free costs 0. */
export const amount: Rule = rule('a number, 0 or more', (value) => Number.isFinite(value) && Number(value) >= 0)

/** Milliseconds; zero means at once. */
export const duration: Rule = rule(
  'a number of milliseconds, 0 or more',
  (value) => Number.isFinite(value) && Number(value) >= 0,
)

/** Any object but an array. */
export const object: Rule = rule('an object', isObject)

/** An object as JSON could give it; what it holds is for other rules to say. */
export const plainObject: Rule = rule('a plain object', isPlainObject)

/** An array of anything. */
export const array: Rule = rule('an array', Array.isArray)

/** One of a few texts. */
export function oneOf(...choices: readonly unknown[]): Rule {
  const all = choices.map(printed).join(', ')
  return rule(choices.length === 1 ? all : `one of ${all}`, (value) => choices.includes(value))
}

/** A list whose items keep a rule. */
export function listOf(item: Rule): Rule {
  return (value, path) => {
    if (!Array.isArray(value)) return array(value, path)
    for (const [index, entry] of value.entries()) {
      const fault = item(entry, memberPath(path, index))
      if (fault !== undefined) return fault
    }
    return undefined
  }
}

/** A list whose items keep a rule and differ from each other, objects in what they hold under `key`. */
export function distinctListOf(item: Rule, key?: string): Rule {
  return (list, listPath) => {
    const seen = new Set<unknown>()
    const check = listOf((entry, path) => {
      const fault = item(entry, path)
      const value = key !== undefined && isObject(entry) ? entry[key] : entry
      const isNew = !seen.has(value)
      seen.add(value)
      if (fault !== undefined || isNew) return fault
      return { path: key === undefined ? path : memberPath(path, key), value, expected: 'unique' }
    })
    return check(list, listPath)
  }
}

/** An object whose named fields keep their rules, of which some may be absent; other fields are free. */
export function fields(required: Rules, optional: Rules = {}): Rule {
  const rules = Object.entries({ ...required, ...optional })
  return (value, path) => {
    if (!isObject(value)) return object(value, path)
    for (const [key, check] of rules) {
      const member = value[key]
      if (member === undefined && !(key in required)) continue
      const fault = check(member, memberPath(path, key))
      if (fault !== undefined) return fault
    }
    return undefined
  }
}

/** The first fault that any of the rules finds. */
export function all(...rules: readonly Rule[]): Rule {
  return (value, path) => {
    for (const check of rules) {
      const fault = check(value, path)
      if (fault !== undefined) return fault
    }
    return undefined
  }
}

/** Narrows to any object but an array. */
export function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

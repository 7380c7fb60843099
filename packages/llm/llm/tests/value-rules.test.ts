import { describe, expect, it } from 'vitest'
import {
  describeFault,
  distinctListOf,
  fields,
  filledText,
  listOf,
  object,
  type Rule,
  text,
} from '../src/value-rules.ts'

const named = fields({ name: filledText }, { note: text })

/** What a rule says of a value, or that it says nothing. */
function verdict(rule: Rule, value: unknown): string {
  const fault = rule(value, '')
  return fault === undefined ? 'fine' : describeFault(fault)
}

describe('A rule for values', () => {
  it.each<[rule: Rule, value: unknown, verdict: string]>([
    [named, { name: 'a', other: 1 }, 'fine'],
    [named, { name: 'a', note: undefined }, 'fine'],
    [named, {}, 'name must be a non-blank string, but is undefined'],
    [named, { name: 'a', note: null }, 'note must be a string, but is null'],
    [named, null, 'it must be an object, but is null'],
    [object, [], 'it must be an object, but is an array of 0'],
    [listOf(named), [{ name: 'a' }, { name: ' ' }], '[1].name must be a non-blank string, but is " "'],
    [listOf(text), Array(1), '[0] must be a string, but is undefined'],
    [distinctListOf(text), ['a', 'b', 'a'], '[2] must be unique, but is "a"'],
    [distinctListOf(named, 'name'), [{ name: 'a' }, { name: 'a' }], '[1].name must be unique, but is "a"'],
    [distinctListOf(named, 'name'), [{ name: 'a' }, { name: 'b' }], 'fine'],
  ])('%# says of %j: %s', (rule, value, expected) => {
    expect(verdict(rule, value)).toBe(expected)
  })

  it('forgets what a list held once the list was checked', () => {
    const rule = distinctListOf(text)
    expect([verdict(rule, ['a']), verdict(rule, ['a'])]).toEqual(['fine', 'fine'])
  })
})

import { describe, expect, it } from 'vitest'
import { printed } from '../src/printed.ts'

describe('printed', () => {
  it.each<[value: unknown, text: string]>([
    ['a "text"', '"a \\"text\\""'],
    ['x'.repeat(100), `"${'x'.repeat(100)}"`],
    ['x'.repeat(101), 'a string of 101 characters'],
    [[1, 2], 'an array of 2'],
    [() => 1, 'a function'],
    [{}, 'an object'],
    [null, 'null'],
    [undefined, 'undefined'],
    [Number.NaN, 'NaN'],
    [5n, '5'],
    [Symbol('s'), 'Symbol(s)'],
  ])('shows %o in a few words', (value, text) => {
    expect(printed(value)).toBe(text)
  })
})

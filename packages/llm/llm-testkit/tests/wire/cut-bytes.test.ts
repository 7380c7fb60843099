import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { cutBytes, cutEvery } from '../../src/index.ts'

const text = (parts: readonly Uint8Array[]): string => Buffer.concat(parts).toString()

describe('cutBytes', () => {
  it('cuts inside a character', () => {
    expect(cutBytes('a€b', [2]).map((part) => [...part])).toEqual([
      [0x61, 0xe2],
      [0x82, 0xac, 0x62],
    ])
  })

  it('passes over positions that are outside or repeated, and takes them in any order', () => {
    expect(cutBytes('abcd', [3, 1, 1, 0, 4, -2, 99]).map((part) => text([part]))).toEqual(['a', 'bc', 'd'])
  })

  it('makes no part of nothing', () => {
    expect(cutBytes('', [1])).toEqual([])
  })

  it('loses nothing, wherever it cuts', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'grapheme' }),
        fc.array(fc.integer({ min: -5, max: 50 })),
        (data, positions) => {
          const parts = cutBytes(data, positions)
          expect(text(parts)).toBe(data)
          expect(parts.every((part) => part.length > 0)).toBe(true)
        },
      ),
    )
  })
})

describe('cutEvery', () => {
  it.each([
    [1, ['a', 'b', 'c', 'd', 'e']],
    [2, ['ab', 'cd', 'e']],
    [5, ['abcde']],
    [9, ['abcde']],
  ])('cuts parts of %i bytes', (size, parts) => {
    expect(cutEvery('abcde', size).map((part) => text([part]))).toEqual(parts)
  })

  it.each([0, -1, 1.5, Number.NaN])('refuses a size of %d', (size) => {
    expect(() => cutEvery('abc', size)).toThrow(`Cannot cut every ${size} bytes`)
  })
})

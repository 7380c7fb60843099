import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { sha256 } from '../src/sha256.ts'

describe('sha256', () => {
  it.each([0, 1, 54, 55, 56, 57, 63, 64, 65, 118, 119, 120, 128, 10_000])(
    'pads a text of %i bytes rightly',
    (length) => {
      const text = 'a'.repeat(length)
      expect(sha256(text)).toBe(reference(text))
    },
  )

  it('equals the platform for any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 300 }), (text) => {
        expect(sha256(text)).toBe(reference(text))
      }),
    )
  })
})

function reference(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { GrowingText } from '../src/growing-text.ts'

describe('GrowingText', () => {
  it('is the pieces joined, whatever their lengths', () => {
    const pieces = fc.array(
      fc.oneof(fc.string({ unit: 'binary' }), fc.constant('x'.repeat(3000)), fc.constant('')),
    )
    fc.assert(
      fc.property(pieces, (given) => {
        const text = new GrowingText()
        for (const piece of given) text.append(piece)
        expect([text.toString(), text.length]).toEqual([given.join(''), given.join('').length])
      }),
    )
  })

  it('can be read while it grows', () => {
    const text = new GrowingText()
    text.append('y'.repeat(4096))
    expect(text.toString()).toHaveLength(4096)
    text.append('z')
    expect(text.toString().at(-1)).toBe('z')
  })
})

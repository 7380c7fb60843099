import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { toPlainJson, toPlainLine, toPlainText } from '../src/plain-text.ts'

const obeyed = /[[\p{Cc}\u202a-\u202e\u2066-\u2069]--[\t\n]]/v

describe('toPlainText', () => {
  it.each([
    ['\u001b[31mred', '␛[31mred'],
    ['a\u009b31m', 'a\ufffd31m'],
    ['secret\rpublic', 'secret␍public'],
    ['one\r\ntwo\tthree\n', 'one\ntwo\tthree\n'],
    ['bell\u0007 del\u007f', 'bell␇ del␡'],
    ['abc\u202efed', 'abc\ufffdfed'],
    ['Grüße 你好 👋', 'Grüße 你好 👋'],
  ])('turns %j into %j', (text, plain) => {
    expect(toPlainText(text)).toBe(plain)
  })

  it('leaves no character that a terminal obeys, however a text is cut', () => {
    const character = fc.constantFrom('\u001b', '[', '3', '\r', '\n', '\u009b', '\u007f', 'ä', '\u2066')
    fc.assert(
      fc.property(fc.array(fc.string({ unit: character })), (pieces) => {
        expect(pieces.map(toPlainText).join('')).not.toMatch(obeyed)
      }),
    )
  })
})

describe('toPlainLine', () => {
  it.each([
    ['a\n  b\tc ', 10, 'a b c'],
    ['0123456789', 10, '0123456789'],
    ['0123456789x', 10, '012345678…'],
    [`${' '.repeat(30)}late`, 10, '…'],
    ['\u001b]0;title', 20, '␛]0;title'],
  ])('turns %j into one line of at most %i characters', (text, length, line) => {
    expect(toPlainLine(text, length)).toBe(line)
  })

  it('does not cut a character in half', () => {
    expect(toPlainLine('12345678👋👋', 10).isWellFormed()).toBe(true)
  })
})

describe('toPlainJson', () => {
  it('keeps every value and holds nothing that a terminal obeys', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const json = toPlainJson({ text })
        expect(JSON.parse(json)).toEqual({ text })
        expect(json).not.toMatch(obeyed)
        expect(json).not.toContain('\n')
      }),
    )
  })
})

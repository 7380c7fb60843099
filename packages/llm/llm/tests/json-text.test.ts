import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { JsonText } from '../src/json-text.ts'

describe('JsonText', () => {
  it.each([
    ['', false],
    [' \n', false],
    ['{', false],
    ['{}', true],
    ['{} ', true],
    ['{}{}', false],
    ['{"a":"}"', false],
    ['{"a":"\\"}"}', true],
    ['{"a":"\\\\"}', true],
    ['[1,[2]]', true],
    [']', false],
    ['"text"', true],
    ['12', true],
    ['nul', false],
    ['null', true],
    ["{'a':1}", false],
  ])('tells whether %j is one complete value', (text, complete) => {
    const json = new JsonText()
    json.append(text)
    expect(json.isComplete()).toBe(complete)
    expect(json.text).toBe(text)
  })

  it.each([
    ['', true],
    [' \r\n\t', true],
    [' {', false],
  ])('tells whether %j is blank', (text, blank) => {
    const json = new JsonText()
    json.append(text)
    expect(json.isBlank).toBe(blank)
  })

  it('agrees with JSON.parse after every piece of any JSON text', () => {
    fc.assert(
      fc.property(fc.json(), fc.array(fc.nat(200)), (text, cuts) => {
        const json = new JsonText()
        for (const piece of cutAt(text, cuts)) {
          json.append(piece)
          expect(json.isComplete()).toBe(isJson(json.text))
        }
        expect(json.text).toBe(text)
      }),
    )
  })

  it('agrees with JSON.parse for texts made of brackets, quotes and escapes', () => {
    const unit = fc.constantFrom('{', '}', '[', ']', '"', '\\', ',', ':', '1', ' ', 'a')
    fc.assert(
      fc.property(fc.array(unit, { maxLength: 12 }), (pieces) => {
        const json = new JsonText()
        for (const piece of pieces) {
          json.append(piece)
          expect(json.isComplete()).toBe(isJson(json.text))
        }
      }),
      { numRuns: 500 },
    )
  })
})

function cutAt(text: string, cuts: readonly number[]): readonly string[] {
  const places = [0, ...cuts.filter((cut) => cut < text.length).sort((a, b) => a - b), text.length]
  return places.slice(1).map((end, at) => text.slice(places[at], end))
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

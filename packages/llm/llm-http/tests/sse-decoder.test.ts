import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { SseDecoder } from '../src/sse-decoder.ts'

const encoder = new TextEncoder()

function decodeAll(pieces: readonly Uint8Array[], maxEventBytes = 1024 * 1024): [string | undefined, string][] {
  const decoder = new SseDecoder(maxEventBytes)
  const events = [
    ...decoder.decode([]),
    ...pieces.flatMap((piece) => decoder.decode([piece])),
    ...decoder.end(),
  ]
  return events.map(({ event, data }) => [event, data])
}

const decodeText = (text: string) => decodeAll([encoder.encode(text)])

function cutAt(bytes: Uint8Array, at: number): Uint8Array[] {
  return [bytes.subarray(0, at), bytes.subarray(at)]
}

describe('SseDecoder', () => {
  it.each<[string, string, [string | undefined, string][]]>([
    ['several data lines', 'data: {"a":\ndata: 1}\n\n', [[undefined, '{"a":\n1}']]],
    ['a named event', 'event: error\ndata: x\n\n', [['error', 'x']]],
    ['comments', ': hi\n\ndata: 1\n: mid\n\n', [[undefined, '1']]],
    ['blank data', 'data:\n\ndata:  \n\ndata: 1\n\n', [[undefined, '1']]],
    ['colons in the data', 'data: k: data: x\n\n', [[undefined, 'k: data: x']]],
    ['no space after the colon', 'data:1\n\n', [[undefined, '1']]],
    ['a last event without blank line', 'data: {"a":1}\n', [[undefined, '{"a":1}']]],
    ['a last event without line end', 'data: [DONE]', [[undefined, '[DONE]']]],
    ['a last event cut inside its JSON', 'data: 1\n\ndata: {"a":', [[undefined, '1']]],
    ['plain text at the end', 'data: 1\n\nrelay note: gone\n', [[undefined, '1']]],
    [
      'a BOM',
      '\uFEFFdata: 1\n\ndata: \uFEFF2\n\n',
      [
        [undefined, '1'],
        [undefined, '\uFEFF2'],
      ],
    ],
  ])('reads %s', (_name, text, expected) => {
    expect(decodeText(text)).toEqual(expected)
  })

  const sample = '\uFEFFdata: {"t":"江豚 🐬"}\n\n: keep\n\nevent: e\ndata: 1\ndata: 2\n\ndata: [DONE]\n\n'
  it.each([
    ['LF', '\n'],
    ['CRLF', '\r\n'],
    ['CR', '\r'],
  ])('gives the same events wherever a stream with %s is cut', (_name, lineEnd) => {
    const bytes = encoder.encode(sample.replaceAll('\n', lineEnd))
    const expected = [
      [undefined, '{"t":"江豚 🐬"}'],
      ['e', '1\n2'],
      [undefined, '[DONE]'],
    ]
    for (let at = 0; at <= bytes.length; at++) expect(decodeAll(cutAt(bytes, at))).toEqual(expected)
    expect(decodeAll([...bytes].map((byte) => Uint8Array.of(byte)))).toEqual(expected)
  })

  it('replaces an invalid byte and goes on', () => {
    const bytes = Uint8Array.of(...encoder.encode('data: x'), 0xff, ...encoder.encode('y\n\n'))
    expect(decodeAll([bytes])).toEqual([[undefined, 'x\uFFFDy']])
  })

  it('delivers what came before an oversized event, then says so', () => {
    const decoder = new SseDecoder(100)
    const text = `data: 1\n\ndata: ${'x'.repeat(200)}`
    expect(decoder.decode([encoder.encode(text)])).toMatchObject([{ data: '1' }])
    expect(decoder.overflowed).toBe(true)
    expect(decoder.decode([encoder.encode('data: 2\n\n')])).toEqual([])
    expect(decoder.end()).toEqual([])
  })

  it('refuses an oversized event that is complete in one read', () => {
    const decoder = new SseDecoder(100)
    expect(decoder.decode([encoder.encode(`data: ${'x'.repeat(200)}\n\ndata: 2\n\n`)])).toEqual([])
    expect(decoder.overflowed).toBe(true)
  })

  it('gives the same events for any text cut anywhere', () => {
    const data = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 20 })
    const cuts = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 8 })
    const lineEnd = fc.constantFrom('\n', '\r\n', '\r')
    fc.assert(
      fc.property(fc.array(data, { maxLength: 6 }), cuts, lineEnd, (texts, fractions, end) => {
        const bytes = encoder.encode(
          texts.map((text) => `: c${end}data: ${JSON.stringify(text)}${end}${end}`).join(''),
        )
        const places = fractions
          .map((fraction) => Math.floor(fraction * bytes.length))
          .toSorted((a, b) => a - b)
        const pieces = [0, ...places].map((from, index) => bytes.subarray(from, places[index] ?? bytes.length))
        expect(decodeAll(pieces)).toEqual(texts.map((text) => [undefined, JSON.stringify(text)]))
      }),
    )
  })
})

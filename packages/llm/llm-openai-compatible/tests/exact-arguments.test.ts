import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readCallPiece } from '../src/call-identity.ts'
import { withExactArguments } from '../src/exact-arguments.ts'

const inCall = (body: string): string =>
  `{"choices":[{"delta":{"tool_calls":[{"index":0,"function":${body}}]}}]}`

/** What the first call of a chunk has for its argument text in the end. */
function argumentsIn(data: string): string | undefined {
  const chunk = withExactArguments(JSON.parse(data), data) as {
    readonly choices: readonly { readonly [part: string]: { readonly tool_calls?: readonly unknown[] } }[]
  }
  const [choice] = chunk.choices
  return readCallPiece((choice?.['delta'] ?? choice?.['message'])?.tool_calls?.[0])?.arguments
}

const kept: readonly (readonly [name: string, object: string])[] = [
  ['integers beyond 2^53', '{"id":9007199254740993,"ids":[-12345678901234567890]}'],
  [
    'long decimals, trailing zeros and exponents',
    '{"a":0.1234567890123456789,"b":1.0,"c":1E+2,"d":1e400,"e":-0}',
  ],
  ['a key called __proto__, without touching a prototype', '{"__proto__":{"n":9007199254740993},"a":1}'],
  [
    'keys that mean something to others',
    '{"arguments":{"input":{"isLosslessNumber":true}},"toJSON":1,"value":"2"}',
  ],
  ['text, escapes and lone surrogates', '{"a":"\\n\\"\\\\","b":"\\ud83d","c":true,"d":null}'],
  ['a list', '[9007199254740993]'],
]

describe('withExactArguments', () => {
  it.each(kept)('keeps %s', (_name, object) => {
    expect(argumentsIn(inCall(`{"name":"x","arguments":${object}}`))).toBe(object)
    expect(Object.getPrototypeOf({})).toBe(Object.prototype)
  })

  it.each([
    ['{"a":1,"b":2,"a":9007199254740993}', '{"a":9007199254740993,"b":2}'],
    ['{"a":9007199254740992,"a":9007199254740993}', '{"a":9007199254740993}'],
    ['{"a":9007199254740993,"__proto__":1,"__proto__":2}', '{"a":9007199254740993,"__proto__":2}'],
    // Told apart by parsing only; the digits are then those of the parsed value.
    ['{"a":[],"a":{}}', '{"a":{}}'],
  ])('gives a key that is there twice its last value: %s', (object, text) => {
    expect(argumentsIn(inCall(`{"arguments":${object}}`))).toBe(text)
  })

  it.each([
    ['custom tools', '{"choices":[{"delta":{"tool_calls":[{"custom":{"input":{"n":9007199254740993}}}]}}]}'],
    [
      'whole messages',
      '{"choices":[{"message":{"tool_calls":[{"function":{"arguments":{"n":9007199254740993}}}]}}]}',
    ],
    [
      'chunks with other choices, calls and spaces',
      '{"choices": [ {"index": 0, "delta": {"tool_calls": [{"function": {"arguments": { "n": 9007199254740993 } }}, {"function": {"arguments": "{}"}}]}}, {"delta": {}}, 1]}',
    ],
  ])('finds the object in %s', (_name, data) => {
    expect(argumentsIn(data)).toBe('{"n":9007199254740993}')
  })

  it('tells the object of one call from the number of another', () => {
    const data =
      '{"choices":[{"delta":{"tool_calls":[{"function":{"arguments":5}},{"function":{"arguments":{"n":9007199254740993}}}]}}]}'
    expect(JSON.stringify(withExactArguments(JSON.parse(data), data))).toContain('9007199254740993')
  })

  it('finds it in the deprecated single call', () => {
    const data = '{"choices":[{"delta":{"function_call":{"name":"x","arguments":{"n":9007199254740993}}}}]}'
    expect(JSON.stringify(withExactArguments(JSON.parse(data), data))).toContain(
      JSON.stringify('{"n":9007199254740993}'),
    )
  })

  it.each([
    '{"choices":[{"delta":{"content":"{\\"arguments\\":{}}"}}]}',
    inCall('{"name":"x","arguments":"{\\"n\\":9007199254740993}"}'),
    inCall('{"name":"x","arguments":null}'),
    '{"choices":[{"delta":{"tool_calls":[null,1,{"function":"x"}],"function_call":null}}]}',
    '{"choices":{}}',
    '[1]',
    'null',
  ])('leaves a chunk without such an object as it is, and does not read it again: %s', (data) => {
    const chunk: unknown = JSON.parse(data)
    expect(withExactArguments(chunk, 'no JSON at all')).toBe(chunk)
    expect(chunk).toEqual(JSON.parse(data))
  })

  it('gives what plain serialising gives if the text cannot be read again', () => {
    const chunk = JSON.parse(inCall('{"arguments":{"a":1}}'))
    withExactArguments(chunk, 'no JSON at all')
    expect(chunk).toEqual(JSON.parse(inCall('{"arguments":"{\\"a\\":1}"}')))
  })

  it('means the same as plain serialising, whatever the object', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (value) => {
        const object = JSON.stringify(value)
        expect(argumentsIn(inCall(`{"arguments":${object}}`))).toBe(JSON.stringify(JSON.parse(object)))
      }),
    )
  })
})

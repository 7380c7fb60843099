import { describe, expect, it } from 'vitest'
import { gemini, type GeminiDialect, type NeutralAnswer } from '../../src/index.ts'
import { eventsOf } from './frames.ts'

interface Chunk {
  readonly candidates: readonly [{ readonly content?: { readonly parts: readonly unknown[] } }]
  readonly usageMetadata?: Readonly<Record<string, number>>
}

const weather = { name: 'weather', arguments: ['{"city":', '"Oslo"}'] }
const now = { name: 'now', arguments: '' }
const noSignatures = { thoughtSignatures: {}, callIds: false }

function render(answer: NeutralAnswer, dialect?: Partial<GeminiDialect>): readonly Chunk[] {
  return eventsOf(gemini(answer, dialect)) as readonly Chunk[]
}

/** The parts of each chunk; undefined where it has no content. */
function parts(answer: NeutralAnswer, dialect?: Partial<GeminiDialect>): unknown[] {
  return render(answer, dialect).map(({ candidates: [{ content }] }) => content?.parts)
}

describe('gemini', () => {
  it('streams whole responses with CRLF, counting as it goes', () => {
    const answer = {
      reasoning: 'Weighing options',
      text: ['Y', 'es'],
      usage: { inputTokens: 12, outputTokens: 22, reasoningTokens: 20 },
    }
    const dialect = { id: 'r1', model: 'gemini-demo', thoughtSignatures: { trailing: 'U0lH' } }
    const rest = '"modelVersion":"gemini-demo","responseId":"r1"}\r\n\r\n'
    expect(gemini(answer, dialect)).toEqual([
      'data: {"candidates":[{"content":{"parts":[{"text":"Weighing options","thought":true}],"role":"model"},"index":0}],' +
        `"usageMetadata":{"promptTokenCount":12,"thoughtsTokenCount":20,"totalTokenCount":32},${rest}`,
      'data: {"candidates":[{"content":{"parts":[{"text":"Y"}],"role":"model"},"index":0}],"usageMetadata":' +
        `{"promptTokenCount":12,"candidatesTokenCount":0,"thoughtsTokenCount":20,"totalTokenCount":32},${rest}`,
      'data: {"candidates":[{"content":{"parts":[{"text":"es"}],"role":"model"},"index":0}],"usageMetadata":' +
        `{"promptTokenCount":12,"candidatesTokenCount":1,"thoughtsTokenCount":20,"totalTokenCount":33},${rest}`,
      'data: {"candidates":[{"content":{"parts":[{"text":"","thoughtSignature":"U0lH"}],"role":"model"},' +
        '"finishReason":"STOP","index":0}],"usageMetadata":' +
        `{"promptTokenCount":12,"candidatesTokenCount":2,"thoughtsTokenCount":20,"totalTokenCount":34},${rest}`,
    ])
  })

  it('puts calls whole in one chunk, the first one signed', () => {
    const dialect = {
      callIds: false,
      thoughtSignatures: { call: 'U0lH' },
      finishMessage: 'Model generated function call(s).',
    }
    expect(render({ calls: [weather, now] }, { ...dialect, id: 'r2', model: 'm' })).toEqual([
      {
        candidates: [
          {
            content: {
              parts: [
                { functionCall: { name: 'weather', args: { city: 'Oslo' } }, thoughtSignature: 'U0lH' },
                { functionCall: { name: 'now' } },
              ],
              role: 'model',
            },
            finishReason: 'STOP',
            finishMessage: 'Model generated function call(s).',
            index: 0,
          },
        ],
        modelVersion: 'm',
        responseId: 'r2',
      },
    ])
  })

  it('may put each call in a chunk of its own', () => {
    expect(parts({ calls: [weather, now] }, { ...noSignatures, calls: 'apart' })).toEqual([
      [{ functionCall: { name: 'weather', args: { city: 'Oslo' } } }],
      [{ functionCall: { name: 'now' } }],
    ])
  })

  it('gives calls their ids', () => {
    const calls = [{ id: 'c1', ...now }, now, now]
    const [chunk = []] = parts({ calls }) as { functionCall: { id: string } }[][]
    const ids = chunk.map(({ functionCall }) => functionCall.id)
    expect(ids).toEqual(['c1', expect.stringMatching(/^\w{24}$/), expect.stringMatching(/^\w{24}$/)])
    expect(new Set(ids).size).toBe(3)
  })

  it.each([
    ['', [{ functionCall: { name: 'f' } }]],
    [' \n', [{ functionCall: { name: 'f' } }]],
    ['{}', [{ functionCall: { name: 'f', args: {} } }]],
    ['{ "a": [1.50] }', [{ functionCall: { name: 'f', args: { a: [1.5] } } }]],
    ['{"ci', undefined],
    ['[1]', undefined],
    ['null', undefined],
    ['"text"', undefined],
  ])('makes of the arguments %j %j', (text, wanted) => {
    expect(parts({ calls: [{ name: 'f', arguments: text }] }, noSignatures)).toEqual([wanted])
  })

  it.each([
    [
      { text: 'VA==' },
      [[{ text: 'a' }], [{ text: 'b', thoughtSignature: 'VA==' }], [{ functionCall: now.name }]],
    ],
    [
      { call: 'Qw==' },
      [[{ text: 'a' }], [{ text: 'b' }], [{ functionCall: now.name, thoughtSignature: 'Qw==' }]],
    ],
    [
      { trailing: 'RQ==' },
      [
        [{ text: 'a' }],
        [{ text: 'b' }],
        [{ functionCall: now.name }],
        [{ text: '', thoughtSignature: 'RQ==' }],
      ],
    ],
  ])('signs where %j says', (thoughtSignatures, wanted) => {
    const seen = parts({ text: ['a', 'b'], calls: [now] }, { thoughtSignatures, callIds: false })
    const named = JSON.stringify(seen).replaceAll('{"name":"now"}', '"now"')
    expect(JSON.parse(named)).toEqual(wanted)
  })

  it.each(['\n', '\r'] as const)('ends its lines with %j where told', (eol) => {
    expect(gemini({ text: 'a' }, { eol })[0]).toMatch(new RegExp(`\\}${eol}${eol}$`))
  })
})

describe('gemini finish', () => {
  it.each([
    [{ text: 'a' }, 'STOP'],
    [{ calls: [weather] }, 'STOP'],
    [{ finish: 'tool-calls' }, 'STOP'],
    [{ text: 'a', finish: 'max-tokens' }, 'MAX_TOKENS'],
    [{ finish: 'safety' }, 'SAFETY'],
    [{ finish: 'MALFORMED_FUNCTION_CALL' }, 'MALFORMED_FUNCTION_CALL'],
  ])('of %j is %s', (answer, finishReason) => {
    const chunks = render(answer)
    expect(chunks).toHaveLength(1)
    expect(chunks).toMatchObject([{ candidates: [{ finishReason }] }])
  })

  it('may stand alone', () => {
    expect(render({ text: 'a' }, { finish: 'alone' }).map(({ candidates }) => candidates)).toEqual([
      [{ content: { parts: [{ text: 'a' }], role: 'model' }, index: 0 }],
      [{ finishReason: 'STOP', index: 0 }],
    ])
  })

  it('can be left out', () => {
    expect(gemini({ text: 'a', finish: null }).join('')).not.toContain('finishReason')
    expect(gemini({ finish: null })).toEqual([])
  })

  it('gives way to an error, uncounted', () => {
    const error = { message: 'Overloaded', type: 'UNAVAILABLE', code: 503 }
    const frames = gemini({ text: 'Par', error, usage: { inputTokens: 1 } })
    expect(frames.join('')).not.toMatch(/finishReason|usageMetadata/)
    expect(eventsOf(frames).slice(1)).toEqual([
      { error: { code: 503, message: 'Overloaded', status: 'UNAVAILABLE' } },
    ])
    expect(render({ error: { message: 'Broken' } })).toEqual([
      { error: { code: 500, message: 'Broken', status: 'INTERNAL' } },
    ])
  })
})

describe('gemini usage', () => {
  it.each([
    [{}, {}],
    [{ outputTokens: 3 }, { candidatesTokenCount: 3 }],
    [
      { inputTokens: 1, cacheReadTokens: 2, cacheWriteTokens: 4, outputTokens: 9, reasoningTokens: 7 },
      {
        promptTokenCount: 7,
        cachedContentTokenCount: 2,
        candidatesTokenCount: 2,
        thoughtsTokenCount: 7,
        totalTokenCount: 16,
      },
    ],
    [
      { inputTokens: 0, outputTokens: 0 },
      { promptTokenCount: 0, candidatesTokenCount: 0, totalTokenCount: 0 },
    ],
  ])('of %j is whole on the last chunk', (usage, wanted) => {
    expect(render({ reasoning: 'Hm', text: ['a', 'b'], usage }).at(-1)?.usageMetadata).toEqual(wanted)
  })

  it('may stand on the last chunk only', () => {
    const chunks = render({ text: ['a', 'b'], usage: { inputTokens: 3 } }, { usage: 'last-chunk' })
    expect(chunks.map(({ usageMetadata }) => usageMetadata)).toEqual([undefined, { promptTokenCount: 3 }])
  })
})

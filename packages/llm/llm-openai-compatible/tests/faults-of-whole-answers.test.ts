import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { type Answer, cutEvery } from 'dsh-llm-testkit'
import { answers, complete, frame } from './support/four-answers.ts'
import { ask } from './support/whole-stack.ts'

type MakeAnswer = (body: string) => Answer

const status =
  (code: number): MakeAnswer =>
  (body) => ({ status: code, chunks: body })
const typed =
  (type: string | undefined): MakeAnswer =>
  (body) => ({ headers: { 'content-type': type }, chunks: body })

const endlessText = function* (): Generator<string> {
  for (;;) yield 'busy '.repeat(1000)
}

const failures: readonly (readonly [name: string, answer: MakeAnswer, code: string])[] = [
  ['status 400', status(400), 'INVALID_REQUEST'],
  ['status 401', status(401), 'AUTH'],
  ['status 402', status(402), 'QUOTA'],
  ['status 403', status(403), 'AUTH'],
  ['status 404', status(404), 'NOT_FOUND'],
  ['status 408', status(408), 'TIMEOUT'],
  ['status 413', status(413), 'CONTEXT_WINDOW_EXCEEDED'],
  ['status 422', status(422), 'INVALID_REQUEST'],
  ['status 429', status(429), 'RATE_LIMIT'],
  ['status 451', status(451), 'HTTP_451'],
  ['status 500', status(500), 'SERVER'],
  ['status 502', status(502), 'SERVER'],
  ['status 503', status(503), 'OVERLOADED'],
  ['status 504', status(504), 'TIMEOUT'],
  ['status 529', status(529), 'OVERLOADED'],
  ['status 204', () => ({ status: 204 }), 'MALFORMED_RESPONSE'],
  ...[301, 302, 303, 307, 308].map(
    (code) =>
      [
        `status ${code}`,
        (body: string) => ({ status: code, headers: { location: '/x' }, chunks: body }),
        `HTTP_${code}`,
      ] as const,
  ),
  ['a page', () => typed('text/html')('<html>back soon</html>'), 'MALFORMED_RESPONSE'],
  ['a page that says it is events', () => ({ chunks: '<html>back soon</html>' }), 'MALFORMED_RESPONSE'],
  ['an empty answer', () => ({}), 'STREAM_CLOSED'],
  ['JSON cut short', () => typed('application/json')('{"choices":[{"mess'), 'MALFORMED_RESPONSE'],
  ['JSON without a completion', () => typed('application/json')('{"ok":true}'), 'MALFORMED_RESPONSE'],
  ['a JSON error', () => typed('application/json')('{"error":{"code":429,"message":"slow"}}'), 'RATE_LIMIT'],
  ['plain words', () => typed('text/plain')('Welcome'), 'MALFORMED_RESPONSE'],
  [
    'an image',
    () => ({ headers: { 'content-type': 'image/png' }, chunks: Uint8Array.of(137, 80, 78, 71) }),
    'MALFORMED_RESPONSE',
  ],
  ['broken gzip', (body) => ({ headers: { 'content-encoding': 'gzip' }, chunks: body }), 'MALFORMED_RESPONSE'],
  [
    'an unknown encoding',
    (body) => ({ headers: { 'content-encoding': 'zip' }, chunks: body }),
    'MALFORMED_RESPONSE',
  ],
  ['gzip cut short', (body) => gzipped(body, 24), 'STREAM_CLOSED'],
  ['an error body without end', () => ({ status: 503, chunks: endlessText(), batched: true }), 'OVERLOADED'],
  [
    'a page without end',
    () => ({ ...typed('text/html')(''), chunks: endlessText(), batched: true }),
    'MALFORMED_RESPONSE',
  ],
  [
    'JSON without end',
    () => ({ chunks: ['{"a":"', ...Array<string>(30).fill('x'.repeat(1000))] }),
    'RESPONSE_TOO_LARGE',
  ],
]

const harmless: readonly (readonly [name: string, answer: MakeAnswer])[] = [
  ['gzip', (body) => gzipped(body)],
  ['no content type', typed(undefined)],
  ['a wrong content type', typed('text/plain')],
  ['the content type of JSON', typed('application/json')],
  ['the content type of a page', typed('text/html')],
  ['one byte for each write', (body) => ({ chunks: cutEvery(body, 1) })],
  ['CRLF', (body) => ({ chunks: body.replaceAll('\n', '\r\n') })],
  ['CR', (body) => ({ chunks: body.replaceAll('\n', '\r') })],
  ['a byte order mark', (body) => ({ chunks: `\uFEFF${body}` })],
  ['bad UTF-8 in a comment', (body) => ({ chunks: [Uint8Array.of(0x3a, 0xff, 0xc3, 0x0a), body] })],
  ['comments between events', (body) => ({ chunks: body.replaceAll('data:', ': alive\n\ndata:') })],
  [
    'heartbeats between events',
    (body) => ({ chunks: body.replaceAll('data:', 'event: ping\ndata: 1\n\ndata: {"choices":[]}\n\ndata:') }),
  ],
  ['no blank line at the end', (body) => ({ chunks: body.trimEnd() })],
  ['no end marker', (body) => ({ chunks: body.replace('data: [DONE]', '') })],
]

describe.each(Object.keys(answers))('an answer of %s', (kind) => {
  const body = (answers[kind] ?? []).map(frame).join('')

  it.each(failures)('that comes as %s fails', async (_name, answer, code) => {
    const config = { limits: { maxEventBytes: 20_000, maxErrorBodyBytes: 2000 } }
    const { lines, failure, endedBy } = await ask(answer(body), { config })
    expect(lines).toEqual([`error ${code}`])
    expect(failure?.message.length).toBeLessThan(500)
    expect(failure?.message).not.toMatch(/<html|undefined|\[object/)
    expect(endedBy).toBeDefined()
  })

  it.each(harmless)('with %s is complete', async (_name, answer) => {
    expect((await ask(answer(body))).lines).toEqual(complete[kind])
  })
})

describe('a text with a byte that is no UTF-8', () => {
  it('has one replacement character in its place', async () => {
    const body = Buffer.from((answers['text'] ?? []).map(frame).join('').replace('Hel', 'H\u00ffl'), 'latin1')
    expect((await ask({ chunks: body })).lines).toEqual(['text H\uFFFDllo', 'stop'])
  })
})

function gzipped(body: string, end?: number): Answer {
  return { headers: { 'content-encoding': 'gzip' }, chunks: gzipSync(body).subarray(0, end) }
}

import { describe, expect, it } from 'vitest'
import { callDelta, choice, done, summary, translate } from './support/translate-events.ts'

const text = choice({ content: 'Par' })
const error = (value: unknown, more: object = {}): string => JSON.stringify({ error: value, ...more })

interface Row {
  readonly name: string
  readonly data: readonly (string | { readonly event: string; readonly data: string })[]
  readonly result: readonly string[]
  readonly status?: number
  readonly says?: string
}

const rows: readonly Row[] = [
  {
    name: 'an error first',
    data: [error({ message: 'allowance used up', code: 'insufficient_quota' }), done],
    result: ['error QUOTA'],
    says: 'allowance used up',
  },
  {
    name: 'an error after text, with empty choices',
    data: [text, error({ code: 502, message: 'upstream offline' }, { choices: [] })],
    result: ['open text', 'error SERVER'],
    status: 502,
    says: 'upstream offline',
  },
  {
    name: 'an error inside a call',
    data: [callDelta({ index: 0, id: 'a', function: { name: 'f', arguments: '{' } }), error({ message: 'm' })],
    result: ['open tool-call', 'error SERVER'],
  },
  {
    name: 'an error after the head of a call',
    data: [callDelta({ index: 0, id: 'a', function: { name: 'f', arguments: '' } }), error('m')],
    result: ['open tool-call', 'error SERVER'],
  },
  {
    name: 'the error of a chunk whose delta has text and whose reason is error',
    data: [
      error(
        { code: 429, message: 'slow down' },
        { choices: [{ delta: { content: 'x' }, finish_reason: 'error' }] },
      ),
    ],
    result: ['open text', 'error RATE_LIMIT'],
    status: 429,
  },
  {
    name: 'an error within the choice',
    data: [
      JSON.stringify({
        choices: [{ delta: {}, finish_reason: 'error', error: { code: 502, message: 'gone' } }],
      }),
    ],
    result: ['error SERVER'],
    status: 502,
    says: 'gone',
  },
  { name: 'a plain text', data: [error('BACKEND_DIED'), done], result: ['error SERVER'], says: 'BACKEND_DIED' },
  {
    name: 'an error in an array',
    data: ['[{"error":{"code":400,"message":"m6"}}]'],
    result: ['error INVALID_REQUEST'],
    status: 400,
  },
  {
    name: 'a flat error',
    data: [JSON.stringify({ object: 'error', message: 'no room', type: 'overloaded_error', code: 503 })],
    result: ['error OVERLOADED'],
    status: 503,
  },
  { name: 'a framework detail', data: ['{"detail":"not so"}'], result: ['error SERVER'], says: 'not so' },
  {
    name: 'an event named error',
    data: [text, { event: 'error', data: '{"message":"worker lost"}' }],
    result: ['open text', 'error SERVER'],
    says: 'worker lost',
  },
  {
    name: 'an event named error without JSON',
    data: [{ event: 'error', data: 'lost it' }],
    result: ['error SERVER'],
    says: 'lost it',
  },
  {
    name: 'an error with a type and no status',
    data: [
      { event: 'error', data: '{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}' },
    ],
    result: ['error OVERLOADED'],
  },
  { name: 'an error without words', data: [error({})], result: ['error SERVER'], says: 'without saying why' },
  {
    name: 'a code of success within an error',
    data: [error({ code: 200, message: 'm' })],
    result: ['error SERVER'],
  },
  {
    name: 'a status as digits',
    data: [error({ code: '429', message: 'm' })],
    result: ['error RATE_LIMIT'],
    status: 429,
  },
  {
    name: 'data that is no JSON',
    data: [text, 'oops'],
    result: ['open text', 'error MALFORMED_RESPONSE'],
    says: 'oops',
  },
  { name: 'data that is no object', data: ['42'], result: ['error MALFORMED_RESPONSE'] },
]

describe('Translator, failures within the stream', () => {
  it.each(rows)('$name', ({ data, result, status, says = '' }) => {
    const chunks = translate(data)
    expect(summary(chunks)).toEqual(result)
    const finish = chunks.at(-1)
    const failure = finish?.type === 'finish' && 'failure' in finish.reason ? finish.reason.failure : undefined
    expect(failure?.status).toBe(status)
    expect(failure?.message).toContain(says)
  })

  it('reads a wait that only the body tells', () => {
    const chunks = translate([error({ type: 'rate_limit_error', message: 'Please try again in 1m2.5s' })])
    expect(chunks.at(-1)).toMatchObject({ reason: { failure: { providerRetryAfterMs: 62_500 } } })
  })

  it('masks secrets and keeps at most 200 characters of the provider', () => {
    const redact = (value: string): string => value.replaceAll('sk-1', '***')
    const [finish] = translate([error(`sk-1 ${'x'.repeat(400)}`)], { redact })
    const message = finish?.type === 'finish' && 'failure' in finish.reason ? finish.reason.failure.message : ''
    expect(message).toContain('***')
    expect(message).not.toContain('sk-1')
    expect(message.length).toBeLessThan(300)
  })
})

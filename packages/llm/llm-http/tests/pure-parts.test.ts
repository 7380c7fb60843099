import { describe, expect, it } from 'vitest'
import { createRedactor, joinUrl, parseRetryAfter } from '../src/index.ts'
import { BodyKindDetector } from '../src/body-kind.ts'
import { redactCause } from '../src/redact-cause.ts'
import { parseJson } from '../src/parse-json.ts'
import { readProviderText } from '../src/provider-text.ts'
import { findRequestId, REQUEST_ID_HEADERS } from '../src/request-id.ts'

describe('joinUrl', () => {
  it.each([
    ['https://h/v1', '/chat/completions', 'https://h/v1/chat/completions'],
    ['https://h/v1/', 'chat/completions', 'https://h/v1/chat/completions'],
    ['https://h//', '/models', 'https://h/models'],
    [' https://h ', '/models', 'https://h/models'],
    ['https://h/v1/chat/completions', '/chat/completions', 'https://h/v1/chat/completions'],
    ['https://h/v1/chat/completions/', '/chat/completions', 'https://h/v1/chat/completions'],
    ['https://h/v1?api-version=2', '/chat/completions', 'https://h/v1/chat/completions?api-version=2'],
    ['https://h/chat/completions?a=b/', '/chat/completions', 'https://h/chat/completions?a=b/'],
    ['https://h/v1#part', '/models', 'https://h/v1/models'],
  ])('joins %s and %s', (baseURL, path, expected) => {
    expect(joinUrl(baseURL, path)).toBe(expected)
  })
})

describe('parseRetryAfter', () => {
  const now = Date.parse('2026-01-01T00:00:00.400Z')
  it.each<[Record<string, string>, number | undefined]>([
    [{ 'retry-after': '2' }, 2000],
    [{ 'retry-after': ' 1.5 ' }, 1500],
    [{ 'retry-after': '0' }, 0],
    [{ 'retry-after': 'Thu, 01 Jan 2026 00:01:00 GMT' }, 59_600],
    [{ 'retry-after': 'Wed, 01 Jan 2025 00:00:00 GMT' }, 0],
    [{ 'retry-after': 'soon' }, undefined],
    [{ 'retry-after': 'Soon' }, undefined],
    [{ 'retry-after': '-5' }, undefined],
    [{ 'retry-after': '1e400' }, undefined],
    [{ 'retry-after': '9'.repeat(400) }, undefined],
    [{ 'retry-after-ms': '250', 'retry-after': '2' }, 250],
    [{ 'retry-after-ms': 'x', 'retry-after': '2' }, 2000],
    [{}, undefined],
  ])('reads %j', (headers, expected) => {
    expect(parseRetryAfter(headers, () => now)).toBe(expected)
  })

  it('measures a date from the Date of the same answer', () => {
    const headers = { 'retry-after': 'Thu, 01 Jan 2026 00:01:00 GMT', date: 'Thu, 01 Jan 2026 00:00:30 GMT' }
    expect(parseRetryAfter(headers)).toBe(30_000)
  })
})

describe('findRequestId', () => {
  it('takes the first header that says something', () => {
    expect(findRequestId({ 'x-request-id': ' ', 'x-ds-trace-id': 't1' }, REQUEST_ID_HEADERS)).toBe('t1')
    expect(findRequestId({ 'x-own': 'o1', 'x-request-id': 'r1' }, ['X-Own'])).toBe('o1')
    expect(findRequestId({}, REQUEST_ID_HEADERS)).toBeUndefined()
  })
})

describe('readProviderText', () => {
  it.each<[string, string | undefined]>([
    ['{"error":{"message":"m1"}}', 'm1'],
    ['{"error":"m2"}', 'm2'],
    ['{"message":"m3"}', 'm3'],
    ['{"detail":"m4"}', 'm4'],
    ['{"detail":[{"loc":["body","model"],"msg":"m5"}]}', 'm5'],
    ['[{"error":{"code":400,"message":"m6"}}]', 'm6'],
    ['{"message":"heading","error":{"message":"m7"}}', 'm7'],
    ['{"error":{"message":""}}', undefined],
    ['{"error":{}}', undefined],
    ['null', undefined],
    ['plain\r\n m8', 'plain m8'],
    ['{"error":{"mess', '{"error":{"mess'],
    ['<h1>busy</h1>', undefined],
    ['', undefined],
    ['x'.repeat(300), `${'x'.repeat(199)}…`],
  ])('of %s is %s', (text, expected) => {
    expect(readProviderText(text, parseJson(text), {})).toBe(expected)
  })
})

describe('BodyKindDetector', () => {
  it.each<[string, string | undefined, string]>([
    ['data: 1', undefined, 'events'],
    ['\uFEFF\n: hi', 'text/plain', 'events'],
    ['event:x', 'application/json', 'events'],
    ['{"a":1}', 'text/event-stream', 'json'],
    ['\n\n[1]', undefined, 'json'],
    ['<html>', 'text/event-stream', 'other'],
    ['database is down', 'text/plain', 'other'],
    ['anything', 'text/event-stream; charset=utf-8', 'events'],
    ['', 'text/event-stream', 'open'],
    ['dat', undefined, 'open'],
  ])('sees %j under %s as %s, cut anywhere', (text, contentType, expected) => {
    const bytes = new TextEncoder().encode(text)
    for (let at = 0; at <= bytes.length; at++) {
      const detector = new BodyKindDetector(contentType)
      detector.add(bytes.subarray(0, at))
      expect(detector.add(bytes.subarray(at))).toBe(expected)
    }
  })
})

describe('createRedactor', () => {
  const redact = createRedactor({
    url: 'https://user:pass%20word@h/v1?api-key=QUERYKEY&page=12345',
    headers: { Authorization: 'Bearer sk-SENTINEL', 'x-api-key': 'k"quoted', accept: 'text/plain' },
    secrets: ['EXTRA-SECRET', 'abc'],
  })

  it.each([
    ['key sk-SENTINEL.', 'key [masked].'],
    ['Bearer sk-SENTINEL', '[masked]'],
    ['EXTRA-SECRET EXTRA-SECRET', '[masked] [masked]'],
    ['{"k":"k\\"quoted"}', '{"k":"[masked]"}'],
    ['pass word, pass%20word', '[masked], [masked]'],
    ['?api-key=QUERYKEY&page=12345', '?api-key=[masked]&page=12345'],
    ['{"e":"bad key sk-SENT', '{"e":"bad key [masked]'],
    ['Your api key: ****abcd is invalid', 'Your api key: [masked] is invalid'],
    ['sent Bearer abcdefgh12345', 'sent [masked]'],
    ['text/plain abc **bold**', 'text/plain abc **bold**'],
  ])('masks %s', (text, expected) => {
    expect(redact(text)).toBe(expected)
  })

  it('masks causes and keeps clean ones as they are', () => {
    const clean = new Error('reset', { cause: new Error('peer') })
    expect(redactCause(clean, redact)).toBe(clean)
    const leaky = Object.assign(new TypeError('failed', { cause: new Error('for sk-SENTINEL') }), {
      code: 'E1',
    })
    const masked = redactCause(leaky, redact) as Error & { code: string }
    expect([masked.name, masked.message, masked.code]).toEqual(['TypeError', 'failed', 'E1'])
    expect(String((masked.cause as Error).message) + (masked.cause as Error).stack).not.toContain('SENTINEL')
  })
})

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { HarnessError, LlmError, normaliseFailure } from '../src/index.ts'

const system = (code: string, message = 'it failed'): Error => Object.assign(new Error(message), { code })
const named = (name: string, message = 'it stopped'): Error => Object.assign(new Error(message), { name })

describe('normaliseFailure', () => {
  it.each<[string, unknown, object]>([
    ['an LlmError', new LlmError('No', 'AUTH', { status: 401 }), { message: 'No', code: 'AUTH', status: 401 }],
    [
      'an LlmError as a cause',
      new Error('outer', { cause: new LlmError('No', 'AUTH') }),
      { message: 'No', code: 'AUTH' },
    ],
    ['a HarnessError', new HarnessError('Bad', 'INVALID_CONFIG'), { message: 'Bad', code: 'INVALID_CONFIG' }],
    [
      'an LlmError of another copy',
      foreign({ message: 'No', code: 'QUOTA', status: 402 }),
      { code: 'QUOTA', status: 402 },
    ],
    [
      'one with odd facts',
      foreign({ message: 'No', code: 'QUOTA', status: 'x', providerRetryAfterMs: -1 }),
      { code: 'QUOTA' },
    ],
    [
      'a status',
      { status: 429, message: 'slow down' },
      { message: 'slow down', code: 'RATE_LIMIT', status: 429 },
    ],
    [
      'a status code',
      Object.assign(new Error('oh'), { statusCode: 503 }),
      { message: 'oh', code: 'OVERLOADED', status: 503 },
    ],
    [
      'a status with a request id',
      { status: 500, request_id: 'r1' },
      { code: 'SERVER', status: 500, requestId: 'r1' },
    ],
    ['a status that is no failure', { status: 200, message: 'fine?' }, { code: 'UNKNOWN', message: 'fine?' }],
    [
      'a refused connection',
      system('ECONNREFUSED'),
      { code: 'TRANSPORT', message: 'it failed (ECONNREFUSED)' },
    ],
    ['an unknown host', system('ENOTFOUND'), { code: 'TRANSPORT' }],
    ['a socket of undici', system('UND_ERR_SOCKET'), { code: 'TRANSPORT' }],
    ['a timeout of undici', system('UND_ERR_HEADERS_TIMEOUT'), { code: 'TIMEOUT' }],
    ['a timeout of the system', system('ETIMEDOUT'), { code: 'TIMEOUT' }],
    ['an expired certificate', system('CERT_HAS_EXPIRED'), { code: 'TRANSPORT' }],
    ['a failed fetch', new TypeError('fetch failed', { cause: system('ECONNRESET') }), { code: 'TRANSPORT' }],
    [
      'a failed fetch that hides why',
      new TypeError('fetch failed'),
      { code: 'TRANSPORT', message: 'fetch failed' },
    ],
    ['a failed load', new TypeError('Load failed'), { code: 'TRANSPORT' }],
    ['a bug', new TypeError('x is not a function'), { code: 'UNKNOWN', message: 'x is not a function' }],
    ['a foreign abort', named('AbortError'), { code: 'TRANSPORT' }],
    ['a DOM abort', new DOMException('gone', 'AbortError'), { code: 'TRANSPORT', message: 'gone' }],
    ['a DOM timeout', new DOMException('late', 'TimeoutError'), { code: 'TIMEOUT', message: 'late' }],
    ['another system code', system('ENOSPC'), { code: 'UNKNOWN', message: 'it failed' }],
    ['a text', 'boom', { code: 'UNKNOWN', message: 'boom' }],
    ['a number', 5, { code: 'UNKNOWN', message: '5' }],
    ['a symbol', Symbol('s'), { code: 'UNKNOWN', message: 'Symbol(s)' }],
    [
      'an error without a text',
      new Error(),
      { code: 'UNKNOWN', message: expect.stringMatching(/says nothing/) },
    ],
    ['nothing', undefined, { code: 'UNKNOWN', message: expect.stringMatching(/says nothing/) }],
    ['null', null, { code: 'UNKNOWN' }],
    ['a blank text', ' ', { code: 'UNKNOWN', message: expect.stringMatching(/says nothing/) }],
  ])('reads %s', (_what, thrown, expected) => {
    expect(normaliseFailure(thrown)).toMatchObject(expected)
  })

  it('keeps no facts that are odd', () => {
    const failure = normaliseFailure(
      foreign({ message: 'No', code: 'QUOTA', status: 'x', providerRetryAfterMs: -1 }),
    )
    expect(failure).toStrictEqual({ message: 'No', code: 'QUOTA' })
  })

  it('never throws and always gives a frozen failure with a text and a code (L9)', () => {
    const values = fc.oneof(
      fc.anything({ withNullPrototype: true, withBigInt: true }).map(lazily),
      hostileValues(),
    )
    fc.assert(
      fc.property(values, (make) => {
        const failure = normaliseFailure(make())
        expect(Object.isFrozen(failure)).toBe(true)
        expect(failure.message).toMatch(/\S/)
        expect(failure.code).toMatch(/\S/)
        expect(JSON.parse(JSON.stringify(failure))).toEqual(failure)
      }),
      { numRuns: 500 },
    )
  })
})

function foreign(failure: object): Error {
  return Object.assign(new Error('outer'), { [Symbol.for('dsh.llm-error')]: true, failure, code: 'QUOTA' })
}

/** A value behind a function, since the test runner itself stumbles over hostile ones. */
function lazily(value: unknown): () => unknown {
  return () => value
}

/** Objects whose every property may throw, or answer with something odd. */
function hostileValues(): fc.Arbitrary<() => unknown> {
  const keys = ['message', 'code', 'status', 'statusCode', 'name', 'cause', 'failure', 'requestId', 'toString']
  const symbols = [Symbol.for('dsh.llm-error'), Symbol.for('dsh.harness-error'), Symbol.toPrimitive]
  const odd = fc.oneof(fc.anything(), fc.constantFrom('AbortError', 'ETIMEDOUT', 429, true, '', ' '))
  const property = fc.tuple(fc.constantFrom(...keys, ...symbols), fc.boolean(), odd)
  const objects = fc.array(property, { maxLength: 8 }).map((properties) => () => withProperties(properties))
  const proxies = fc.constantFrom(
    () => allTraps({}),
    () => allTraps(() => {}),
    () => allTraps(new Error('x')),
    revoked,
  )
  return fc.oneof(objects, proxies)
}

function withProperties(properties: readonly (readonly [PropertyKey, boolean, unknown])[]): object {
  const target = {}
  for (const [key, throws, value] of properties) {
    const get = (): unknown => {
      if (throws) throw value
      return value
    }
    Object.defineProperty(target, key, { get, configurable: true, enumerable: true })
  }
  return Object.freeze(target)
}

function allTraps(target: object): object {
  const trap = (): never => {
    throw new Error('trap')
  }
  return new Proxy(target, new Proxy({}, { get: () => trap }))
}

function revoked(): object {
  const { proxy, revoke } = Proxy.revocable({}, {})
  revoke()
  return proxy
}

import { describe, expect, it } from 'vitest'
import { codeOfStatus, createFailure } from '../src/index.ts'

describe('createFailure', () => {
  it('keeps sound facts and leaves the rest absent', () => {
    const failure = createFailure('Busy', 'OVERLOADED', { status: 503, providerRetryAfterMs: 0 })
    expect(failure).toStrictEqual({ message: 'Busy', code: 'OVERLOADED', status: 503, providerRetryAfterMs: 0 })
    expect(Object.isFrozen(failure)).toBe(true)
  })

  it.each([
    [{ status: 99 }],
    [{ status: 600 }],
    [{ status: 429.5 }],
    [{ status: Number.NaN }],
    [{ providerRetryAfterMs: -1 }],
    [{ providerRetryAfterMs: Number.NaN }],
    [{ providerRetryAfterMs: Infinity }],
    [{ requestId: ' ' }],
    [{ requestId: undefined, status: undefined }],
  ])('drops the odd facts %o and keeps the failure (L9)', (facts) => {
    expect(createFailure('x', 'UNKNOWN', facts)).toStrictEqual({ message: 'x', code: 'UNKNOWN' })
  })

  it('takes a status written as digits and survives facts that cannot be read', () => {
    const facts: object = JSON.parse('{"status":"429"}')
    expect(createFailure('x', 'RATE_LIMIT', facts).status).toBe(429)
    const hostile = Object.defineProperty({}, 'status', {
      get: () => {
        throw new Error('no')
      },
    })
    expect(createFailure('x', 'UNKNOWN', hostile)).toStrictEqual({ message: 'x', code: 'UNKNOWN' })
  })
})

describe('codeOfStatus', () => {
  it.each([
    [400, 'INVALID_REQUEST'],
    [401, 'AUTH'],
    [402, 'QUOTA'],
    [403, 'AUTH'],
    [404, 'NOT_FOUND'],
    [408, 'TIMEOUT'],
    [409, 'HTTP_409'],
    [418, 'HTTP_418'],
    [422, 'INVALID_REQUEST'],
    [429, 'RATE_LIMIT'],
    [500, 'SERVER'],
    [502, 'SERVER'],
    [503, 'OVERLOADED'],
    [504, 'TIMEOUT'],
    [529, 'OVERLOADED'],
    [599, 'SERVER'],
    [302, 'HTTP_302'],
    [600, 'HTTP_600'],
  ])('names %i %s', (status, code) => {
    expect(codeOfStatus(status)).toBe(code)
  })
})

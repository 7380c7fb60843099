import { describe, expect, it } from 'vitest'
import { errorChain, HarnessError, isHarnessError, isLlmError, LlmError } from '../src/index.ts'

describe('LlmError', () => {
  it('is a HarnessError with a code, a cause and a frozen failure', () => {
    const cause = new Error('below')
    const error = new LlmError('Too many requests', 'RATE_LIMIT', {
      cause,
      status: 429,
      providerRetryAfterMs: 1500,
      requestId: 'r1',
    })
    expect(error).toBeInstanceOf(HarnessError)
    expect(error).toMatchObject({ name: 'LlmError', message: 'Too many requests', code: 'RATE_LIMIT', cause })
    expect(error.failure).toStrictEqual({
      message: 'Too many requests',
      code: 'RATE_LIMIT',
      status: 429,
      providerRetryAfterMs: 1500,
      requestId: 'r1',
    })
    expect(Object.isFrozen(error.failure)).toBe(true)
  })

  it('has no cause unless one was given', () => {
    expect('cause' in new LlmError('x', 'UNKNOWN')).toBe(false)
    expect('cause' in new LlmError('x', 'UNKNOWN', { cause: undefined })).toBe(true)
  })
})

describe('isLlmError', () => {
  it('knows errors of another copy of the package by their brand', () => {
    const foreign = Object.assign(new Error('x'), { [Symbol.for('dsh.llm-error')]: true, code: 'AUTH' })
    expect(isLlmError(foreign)).toBe(true)
    expect(isLlmError(new LlmError('x', 'AUTH'))).toBe(true)
  })

  it.each([undefined, null, 'x', 5, {}, new Error('x'), new HarnessError('x', 'AUTH')])(
    'refuses %o',
    (value) => {
      expect(isLlmError(value)).toBe(false)
    },
  )

  it('refuses what cannot be read', () => {
    expect(isLlmError(hostile())).toBe(false)
  })

  it('does not need the brand for HarnessError', () => {
    expect(isHarnessError(new LlmError('x', 'AUTH'))).toBe(true)
  })
})

describe('errorChain', () => {
  it('lists causes, outermost first', () => {
    const inner = new Error('inner')
    const outer = new LlmError('outer', 'UNKNOWN', { cause: inner })
    expect(errorChain(outer)).toEqual([outer, inner])
    expect(errorChain('text')).toEqual(['text'])
    expect(errorChain(undefined)).toEqual([])
  })

  it('ends at a cycle', () => {
    const a = new Error('a')
    const b = new Error('b', { cause: a })
    a.cause = b
    expect(errorChain(a)).toEqual([a, b])
  })

  it('ends after 16 links and where a cause cannot be read', () => {
    let deep = new Error('0')
    for (let depth = 1; depth < 50; depth += 1) deep = new Error(`${depth}`, { cause: deep })
    expect(errorChain(deep)).toHaveLength(16)
    expect(errorChain(hostile()).length).toBe(1)
  })
})

function hostile(): object {
  const trap = (): never => {
    throw new Error('trap')
  }
  return new Proxy(
    {},
    { get: trap, has: trap, getPrototypeOf: trap, ownKeys: trap, getOwnPropertyDescriptor: trap },
  )
}

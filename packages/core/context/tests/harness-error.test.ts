import { HarnessError, isHarnessError } from 'dsh-context'
import { describe, expect, it } from 'vitest'

describe('HarnessError', () => {
  it('has a code, a cause and a name', () => {
    const cause = new Error('below')
    const error = new HarnessError('Could not do it', 'SOME_CODE', { cause })
    expect(error).toMatchObject({ name: 'HarnessError', message: 'Could not do it', code: 'SOME_CODE', cause })
    expect('cause' in new HarnessError('Could not do it', 'SOME_CODE')).toBe(false)
  })
})

describe('isHarnessError', () => {
  const hostile = new Proxy(
    {},
    {
      has() {
        throw new Error('hostile')
      },
    },
  )
  const foreign = Object.assign(new Error('other copy'), { [Symbol.for('dsh.harness-error')]: true })

  it.each([
    ['an own error', new HarnessError('x', 'X'), true],
    ['an error of another copy of the package', foreign, true],
    ['a plain error', new Error('x'), false],
    ['a string', 'x', false],
    ['null', null, false],
    ['a hostile proxy', hostile, false],
  ])('tells %s', (_name, value, expected) => {
    expect(isHarnessError(value)).toBe(expected)
  })
})

import { describe, expect, it } from 'vitest'
import { APP_IDENTITY, attributionHeaders, isHarnessError, userAgent } from '../src/index.ts'

describe('userAgent', () => {
  it('names this package unless told otherwise', () => {
    expect(userAgent()).toBe(`dsh-llm/${APP_IDENTITY.version}`)
    expect(Object.isFrozen(APP_IDENTITY)).toBe(true)
  })

  it.each([
    [{ product: 'acme', version: '2.1.0' }, 'acme/2.1.0'],
    [{ product: 'acme agent', version: '1' }, 'acme agent/1'],
    [{ product: 'acme', version: '2.1.0', url: undefined }, 'acme/2.1.0'],
    [
      { product: 'acme', version: '2', url: 'https://acme.test/bot?a=1#b' },
      'acme/2 (+https://acme.test/bot?a=1#b)',
    ],
  ])('spells %o', (identity, expected) => {
    expect(userAgent(identity)).toBe(expected)
  })

  it.each([
    ['product', { product: 'acme\r\nx-evil: 1', version: '1' }],
    ['product', { product: '', version: '1' }],
    ['product', { product: ' acme', version: '1' }],
    ['product', { product: 'ácme', version: '1' }],
    ['version', { product: 'acme', version: '1\u0000' }],
    ['version', JSON.parse('{"product":"acme","version":5}') as { product: string; version: string }],
    ['url', { product: 'acme', version: '1', url: 'https://acme.test/) evil' }],
    ['url', { product: 'acme', version: '1', url: 'https://acme.test/\\' }],
  ])('refuses an illegal %s', (part, identity) => {
    const error = thrownBy(() => userAgent(identity))
    expect(isHarnessError(error) && error.code).toBe('INVALID_CONFIG')
    expect(String(error)).toContain(`identity.${part} must be`)
  })
})

describe('attributionHeaders', () => {
  it('lets an identity replace the default wholly', () => {
    expect(attributionHeaders({ product: 'acme', version: '9' })).toEqual({ 'user-agent': 'acme/9' })
    expect(attributionHeaders()).toEqual({ 'user-agent': userAgent() })
  })
})

function thrownBy(run: () => unknown): unknown {
  try {
    run()
  } catch (error) {
    return error
  }
  return undefined
}

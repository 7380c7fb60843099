import { inspect } from 'node:util'
import { describe, expect, it } from 'vitest'
import { createRedactor, type RedactorOptions } from '../src/index.ts'
import { redactCause } from '../src/redact-cause.ts'
import { redactHeaders } from '../src/redact.ts'

const key = 'SENTINELsecretKEY0123456789'
const redact = createRedactor({ secrets: [key] })

describe('createRedactor', () => {
  it.each<[string, RedactorOptions]>([
    ['api_key parameter', { url: `https://h/v1?api_key=${key}` }],
    ['subscription-key parameter', { url: `https://h/v1?subscription-key=${key}` }],
    ['parameter of any name', { url: `https://h/v1?k=${key}` }],
    ['path of a gateway', { url: `https://h/${key}/v1` }],
    ['user part', { url: `https://user:${key}@h/v1` }],
    ['cookie', { headers: { cookie: `lang=en; sid=${key}` } }],
    ['subscription header', { headers: { 'ocp-apim-subscription-key': key } }],
    ['gateway authorization', { headers: { 'cf-aig-authorization': `Bearer ${key}` } }],
    ['x-auth header', { headers: { 'x-auth': key } }],
  ])('knows the secret in a %s', (_where, options) => {
    expect(createRedactor(options)(`bad ${key} given`)).toBe('bad [masked] given')
  })

  it.each([
    ['in upper case', `bad ${key.toUpperCase()}.`, 'bad [masked].'],
    ['in lower case', `bad ${key.toLowerCase()}.`, 'bad [masked].'],
    ['of which the beginning is shown', `bad ${key.slice(0, 14)} given`, 'bad [masked] given'],
    ['shortened with dots', 'bad sk-proj-ab...wxyz given', 'bad [masked] given'],
    ['starred out within', 'bad SENT*******6789 given', 'bad [masked] given'],
  ])('masks a key %s', (_how, text, masked) => {
    expect(redact(text)).toBe(masked)
  })

  it('leaves words alone that only begin like a key made of words', () => {
    const plain = createRedactor({
      secrets: ['deepseek-key-for-tests'],
      url: 'https://h/deployments/gpt-4o-mini-2024-07-18',
    })
    const text = 'deepseek-chat and gpt-4o-mini-2024-07-18 are **unknown** models *** of 2024'
    expect(plain(text)).toBe(text)
  })

  it.each(['x', '-', '*', 'a*', 'sk-', 'Bearer ', '**a'])(
    'is not stopped by a megabyte of %j, which once took minutes',
    (piece) => {
      expect(redact(piece.repeat(1_000_000 / piece.length)).length).toBeGreaterThan(0)
    },
  )
})

describe('redactHeaders', () => {
  it('masks every header named like a credential, and no rate limit', () => {
    const headers = {
      'x-auth': key,
      'ocp-apim-subscription-key': key,
      'anthropic-ratelimit-tokens-remaining': '5',
    }
    expect(redactHeaders(headers, createRedactor({}))).toEqual({
      'x-auth': '[masked]',
      'ocp-apim-subscription-key': '[masked]',
      'anthropic-ratelimit-tokens-remaining': '5',
    })
  })
})

describe('redactCause', () => {
  const hostile = Object.defineProperty(new Error('plain'), 'config', {
    get: () => {
      throw new Error('no')
    },
  })

  it.each<[string, unknown]>([
    ['a field', Object.assign(new Error('plain'), { config: { headers: { authorization: `Bearer ${key}` } } })],
    ['a hidden field', Object.defineProperty(new Error('plain'), 'url', { value: `https://h?key=${key}` })],
    ['one error of several', new AggregateError([new Error(`a ${key}`)], 'many')],
    ['a cause of a cause', new Error('a', { cause: new Error('b', { cause: { text: key } }) })],
    ['an object that is no error', { message: `x ${key}` }],
    ['bytes', Object.assign(new Error('plain'), { body: new TextEncoder().encode(key) })],
    ['its name', Object.assign(new Error('plain'), { name: key })],
  ])('hides a secret in %s of what was thrown', (_where, thrown) => {
    const shown = inspect(redactCause(thrown, redact), { depth: 10, showHidden: true })
    expect(shown).not.toContain(key)
    expect(shown).not.toContain('83, 69, 78')
  })

  it('keeps nothing of an error that cannot be looked through but its words', () => {
    const kept = redactCause(hostile, redact)
    expect(kept).toMatchObject({ message: 'plain' })
    expect(kept).not.toHaveProperty('config')
  })

  it('keeps an error without secrets as it is, circles included', () => {
    const error = new Error('plain', { cause: { code: 'ECONNRESET' } })
    const circle = Object.assign(error, { self: error })
    expect(redactCause(circle, redact)).toBe(circle)
  })
})

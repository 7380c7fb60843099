import { afterEach, describe, expect, it, vi } from 'vitest'
import { LlmError, requireApiKey, resolveApiKey } from '../src/index.ts'

afterEach(() => {
  vi.unstubAllEnvs()
  vi.unstubAllGlobals()
})

describe('requireApiKey', () => {
  it.each([
    ['sk-abc', 'sk-abc'],
    ['  sk-abc\r\n', 'sk-abc'],
    ['\uFEFFsk-abc', 'sk-abc'],
  ])('trims %j silently', (given, expected) => {
    expect(requireApiKey(given, 'ACME_KEY')).toBe(expected)
  })

  it.each([
    [undefined, 'MISSING_CREDENTIAL'],
    [null, 'MISSING_CREDENTIAL'],
    ['', 'MISSING_CREDENTIAL'],
    [' \n', 'MISSING_CREDENTIAL'],
    ['sk-sécret', 'INVALID_CREDENTIAL'],
    ['sk-secret\nsk-other', 'INVALID_CREDENTIAL'],
    ['sk-secret\u0000', 'INVALID_CREDENTIAL'],
    ['“sk-secret”', 'INVALID_CREDENTIAL'],
    [42, 'INVALID_CREDENTIAL'],
    [{ key: 'sk-secret' }, 'INVALID_CREDENTIAL'],
  ])('refuses %j with %s, naming the origin and no part of the key', (given, code) => {
    const attempt = (): string => requireApiKey(given, 'ACME_KEY')
    expect(attempt).toThrow(expect.objectContaining({ code, message: expect.stringContaining('ACME_KEY') }))
    expect(attempt).not.toThrow(/sk-|cret/)
  })
})

describe('resolveApiKey', () => {
  it.each([
    ['a string', 'sk-1'],
    ['a function', () => 'sk-1'],
    ['an async function', async () => 'sk-1'],
  ])('takes %s', async (_what, apiKey) => {
    await expect(resolveApiKey({ apiKey, provider: 'acme' })).resolves.toBe('sk-1')
  })

  it('asks a function again for each request', async () => {
    let count = 0
    const apiKey = (): string => `sk-${(count += 1)}`
    await resolveApiKey({ apiKey, provider: 'acme' })
    await expect(resolveApiKey({ apiKey, provider: 'acme' })).resolves.toBe('sk-2')
  })

  it('reads the environment at the time of the request', async () => {
    vi.stubEnv('ACME_TEST_KEY', ' sk-env ')
    await expect(resolveApiKey({ apiKeyEnv: 'ACME_TEST_KEY', provider: 'acme' })).resolves.toBe('sk-env')
    vi.stubEnv('ACME_TEST_KEY', undefined)
    await expect(resolveApiKey({ apiKeyEnv: 'ACME_TEST_KEY', provider: 'acme' })).rejects.toThrow(
      expect.objectContaining({
        code: 'MISSING_CREDENTIAL',
        message: expect.stringContaining('ACME_TEST_KEY'),
      }),
    )
  })

  it('counts every variable as unset where there is no process', async () => {
    vi.stubEnv('ACME_TEST_KEY', 'sk-env')
    vi.stubGlobal('process', undefined)
    const code = await codeOf(resolveApiKey({ apiKeyEnv: 'ACME_TEST_KEY', provider: 'acme' }))
    expect(code).toBe('MISSING_CREDENTIAL')
  })

  it('does not fall back to the environment when a function gives nothing', async () => {
    vi.stubEnv('ACME_TEST_KEY', 'sk-somebody-else')
    const options = { apiKey: () => undefined, apiKeyEnv: 'ACME_TEST_KEY', provider: 'acme' }
    await expect(resolveApiKey(options)).rejects.toThrow(/apiKey of provider "acme"/)
  })

  it('keeps what a function throws as the cause, out of the text', async () => {
    const cause = new Error('vault refused sk-secret')
    const failed = resolveApiKey({ apiKey: () => Promise.reject(cause), provider: 'acme' })
    const error: unknown = await failed.catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({ code: 'MISSING_CREDENTIAL', cause })
    expect(String(error)).not.toContain('secret')
  })

  it('lets a coded error of the function through', async () => {
    const own = new LlmError('The vault is sealed', 'TRANSPORT')
    const apiKey = (): string => {
      throw own
    }
    await expect(resolveApiKey({ apiKey, provider: 'acme' })).rejects.toBe(own)
  })
})

async function codeOf(failing: Promise<unknown>): Promise<unknown> {
  const error: unknown = await failing.catch((thrown: unknown) => thrown)
  return error instanceof LlmError ? error.code : error
}

import { createLlm, type ProviderOptionsMap, use } from 'dsh-llm'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import deepseek from '../src/index.ts'
import { question, stage } from './deepseek-kit.ts'

const key = 'SENTINELsecretKEY0123456789'

describe('deepseek config', () => {
  beforeEach(() => void vi.spyOn(console, 'error').mockImplementation(() => {}))
  afterEach(() => void vi.restoreAllMocks())

  it.each([
    ['config', key],
    ['config', []],
    ['config', null],
    ['provider', { provider: '' }],
    ['baseURL', { baseURL: 'localhost' }],
    ['baseURL', { baseURL: null }],
    ['betaBaseURL', { betaBaseURL: 'ftp://h' }],
    ['apiKeyEnv', { apiKeyEnv: '' }],
    ['dialect', { dialect: 'openai' }],
    ['headers', { headers: [key] }],
    ['limits.maxEventBytes', { limits: { maxEventBytes: 0 } }],
  ])('is INVALID_CONFIG naming %s for a value that cannot work', async (path, config) => {
    const loading = createLlm({ plugins: [use(deepseek, config as never)] })
    await expect(loading).rejects.toMatchObject({
      code: 'INVALID_CONFIG',
      message: expect.stringContaining(` ${path}: `),
    })
    await expect(loading).rejects.not.toThrow(key)
  })
})

describe('providerOptions.deepseek', () => {
  it.each([
    { userId: 5 },
    { userId: '' },
    { strictTools: 'yes' },
    { prefix: 1 },
    { thinking: true },
    null,
    [],
    'x',
  ])('that is %j sends nothing', async (options) => {
    await using set = await stage([])
    const providerOptions = { deepseek: options as ProviderOptionsMap['deepseek'] }
    const { finish } = await set.llm.generate(question({ providerOptions }))
    expect(finish.reason).toMatchObject({ kind: 'error', failure: { code: 'INVALID_REQUEST' } })
    expect(set.server.requests).toEqual([])
  })
})

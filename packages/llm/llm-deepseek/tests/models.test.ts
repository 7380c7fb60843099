import { Context } from 'dsh-context'
import { LlmRuntime } from 'dsh-llm'
import { describe, expect, it } from 'vitest'
import { DeepSeekAdapter } from '../src/adapter.ts'
import deepseek from '../src/index.ts'
import { deepSeekAnswer, question, stage } from './deepseek-kit.ts'

describe('DeepSeekAdapter: models', () => {
  it('offers the current models without a key or a request', async () => {
    const listed = await new DeepSeekAdapter().listModels('deepseek')
    expect(listed.map(({ id }) => id)).toEqual(['deepseek-flash', 'deepseek-v4-pro'])
  })

  it.each(['deepseek-flash', 'deepseek-v4-pro', 'deepseek-v4-flash'])(
    'knows the facts of %s',
    async (model) => {
      expect(await new DeepSeekAdapter().resolveModel('deepseek', model)).toMatchObject({
        id: model,
        context: { contextWindow: 1_000_000 },
        defaultMaxTokens: 65_536,
        reasoning: {
          defaultEffort: 'high',
          efforts: [{ id: 'off' }, { id: 'low' }, { id: 'high' }, { id: 'max' }],
        },
      })
    },
  )

  it('adds models of the configuration, which replace known ones of the same name', async () => {
    const models = [{ id: 'deepseek-flash', name: 'Mine', contextWindow: 10 }, { id: 'next' }]
    const adapter = new DeepSeekAdapter({ models })
    expect((await adapter.listModels('deepseek')).map(({ name }) => name)).toEqual([
      'DeepSeek V4 Pro',
      'Mine',
      'next',
    ])
    expect(await adapter.resolveModel('deepseek', 'deepseek-flash')).toMatchObject({
      context: { contextWindow: 10 },
    })
  })
})

describe('deepseek plugin', () => {
  it('loads without config and serves its route', async () => {
    const ctx = new Context()
    await ctx.plugin(LlmRuntime)
    await ctx.plugin(deepseek)
    expect(ctx.llm.listProviders()).toEqual([{ id: 'deepseek', name: 'DeepSeek' }])
    await ctx.dispose()
  })

  it('takes another route and an identity of its own', async () => {
    const identity = { product: 'acme', version: '1.2' }
    await using set = await stage([deepSeekAnswer({ text: 'ok' })], { provider: 'ds', identity })
    await set.llm.generate(question({ provider: 'ds' }))
    expect(set.server.requests[0]?.headers).toMatchObject({
      'user-agent': 'acme/1.2',
      authorization: 'Bearer sk-test',
    })
  })

  it.each([
    ['an unknown name', { baseUrl: 'https://x.example' }, 'baseUrl'],
    ['an address without a scheme', { baseURL: 'api.deepseek.com' }, 'baseURL'],
    ['a negative limit', { limits: { totalMs: -1 } }, 'totalMs'],
  ])('refuses a config with %s', async (_what, config, path) => {
    const ctx = new Context()
    ctx.on('internal/error', () => {})
    await ctx.plugin(LlmRuntime)
    const failed: unknown = await Promise.resolve(ctx.plugin(deepseek, config as object)).catch(
      (error: unknown) => error,
    )
    expect(failed).toMatchObject({ code: 'INVALID_CONFIG', message: expect.stringContaining(path) })
    await ctx.dispose()
  })
})

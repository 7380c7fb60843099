import { Context } from 'dsh-context'
import { collect, createUserMessage, LlmRuntime } from 'dsh-llm'
import { describe, expect, it } from 'vitest'
import { startProviderServer } from 'dsh-llm-testkit'
import openaiCompatible, { dialects, OpenAiCompatibleAdapter } from '../src/index.ts'
import { choice, done } from './support/translate-events.ts'

async function contextWithRuntime(): Promise<Context> {
  const ctx = new Context()
  await ctx.plugin(LlmRuntime)
  return ctx
}

describe('openaiCompatible', () => {
  it('serves a route of its config through the runtime', async () => {
    const chunks = [choice({ content: 'Hello' }), choice({}, 'stop'), done].map((data) => `data: ${data}\n\n`)
    await using server = await startProviderServer({ script: [{ chunks }] })
    await using ctx = await contextWithRuntime()
    await ctx.plugin(openaiCompatible, {
      providers: { local: { baseURL: `${server.url}/v1`, dialect: 'ollama' } },
    })
    const answer = await collect(
      ctx.llm.stream({ provider: 'local', model: 'm', messages: [createUserMessage('hi')] }),
    )
    expect(answer.text).toBe('Hello')
    expect(answer.message?.source).toMatchObject({ kind: 'model', provider: 'local', model: 'm' })
    expect(server.requests[0]?.path).toBe('/v1/chat/completions')
  })

  it('registers every route and takes them all back when it is unloaded', async () => {
    await using ctx = await contextWithRuntime()
    const baseURL = 'http://127.0.0.1:1'
    const fiber = ctx.plugin(openaiCompatible, {
      providers: { a: { baseURL, displayName: 'A' }, b: { baseURL } },
    })
    await fiber
    expect(ctx.llm.listProviders()).toEqual([
      { id: 'a', name: 'A' },
      { id: 'b', name: 'b' },
    ])
    await fiber.dispose()
    expect(ctx.llm.listProviders()).toEqual([])
  })

  it.each([
    ['providers.a.baseURL', { baseURL: 'localhost' }],
    ['providers.a.dialect', { baseURL: 'http://h', dialect: 'klingon' }],
    ['providers.a.apiKey', { baseURL: 'http://h', apiKey: 3 }],
    ['providers.a.limits.idleBytesMs', { baseURL: 'http://h', limits: { idleBytesMs: -1 } }],
    ['providers.a.models.0.contextWindow', { baseURL: 'http://h', models: [{ id: 'm', contextWindow: 0 }] }],
    ['providers.a.surprise', { baseURL: 'http://h', surprise: true }],
  ])('names %s when it is wrong', async (path, provider) => {
    await using ctx = await contextWithRuntime()
    const reported: unknown[] = []
    ctx.on('internal/error', (error) => reported.push(error))
    const loading = Promise.resolve(ctx.plugin(openaiCompatible, { providers: { a: provider } } as never))
    await expect(loading).rejects.toMatchObject({
      code: 'INVALID_CONFIG',
      message: expect.stringContaining(`${path}:`),
    })
  })

  it('takes a dialect of one’s own', () => {
    const adapter = new OpenAiCompatibleAdapter({
      baseURL: 'http://h',
      dialect: { ...dialects.mistral, name: 'mine' },
    })
    expect(adapter.options.has('seed')).toBe(true)
  })
})

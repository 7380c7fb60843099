import { describe, expect, it } from 'vitest'
import { jsonAnswer, startProviderServer } from 'dsh-llm-testkit'
import { OpenAiCompatibleAdapter } from '../src/adapter.ts'

const declared = {
  id: 'big',
  name: 'Big one',
  contextWindow: 128_000,
  defaultMaxTokens: 4096,
  efforts: ['low', { id: 'max', name: 'Everything' }],
  defaultEffort: 'low',
}

describe('OpenAiCompatibleAdapter, models', () => {
  it('offers the declared models without asking the server', async () => {
    const adapter = new OpenAiCompatibleAdapter({ baseURL: 'http://127.0.0.1:1', models: [declared] })
    expect(await adapter.listModels('p')).toEqual([{ provider: 'p', id: 'big', name: 'Big one' }])
  })

  it('tells what is declared about a model and nothing about others', async () => {
    const adapter = new OpenAiCompatibleAdapter({
      baseURL: 'http://127.0.0.1:1',
      models: [declared, { id: 'small' }],
    })
    expect(await adapter.resolveModel('p', 'big')).toEqual({
      provider: 'p',
      id: 'big',
      name: 'Big one',
      context: { contextWindow: 128_000 },
      defaultMaxTokens: 4096,
      reasoning: {
        efforts: [
          { id: 'low', name: 'low' },
          { id: 'max', name: 'Everything' },
        ],
        defaultEffort: 'low',
      },
    })
    expect(await adapter.resolveModel('p', 'small')).toEqual({ provider: 'p', id: 'small', name: 'small' })
    expect(await adapter.resolveModel('p', 'unheard')).toEqual({
      provider: 'p',
      id: 'unheard',
      name: 'unheard',
    })
  })

  it.each([
    ['/v1', '/v1/models'],
    ['/v1/', '/v1/models'],
    ['/v1/chat/completions', '/v1/models'],
    ['/v1/chat/completions/?api-version=1', '/v1/models?api-version=1'],
  ])('asks a server at %s for its models at %s, with the key', async (base, url) => {
    const data = [
      { id: 'a', object: 'model' },
      {
        id: 'b',
        name: 'B',
        description: 'the second',
        architecture: { input_modalities: ['text', 'image', 3] },
      },
      { object: 'odd' },
      null,
    ]
    await using server = await startProviderServer({ script: [jsonAnswer({ object: 'list', data })] })
    const adapter = new OpenAiCompatibleAdapter({ baseURL: server.url + base, apiKey: 'sk-1' })
    expect(await adapter.listModels('p')).toEqual([
      { provider: 'p', id: 'a', name: 'a' },
      { provider: 'p', id: 'b', name: 'B', description: 'the second', inputModalities: ['text', 'image'] },
    ])
    expect(server.requests[0]).toMatchObject({ method: 'GET', url, headers: { authorization: 'Bearer sk-1' } })
  })

  it.each([
    ['a bare array', [{ id: 'a' }]],
    ['a list named models', { models: [{ name: 'a' }] }],
  ])('reads %s', async (_name, body) => {
    await using server = await startProviderServer({ script: [jsonAnswer(body)] })
    const models = await new OpenAiCompatibleAdapter({ baseURL: server.url }).listModels('p')
    expect(models).toMatchObject([{ provider: 'p', id: 'a', name: 'a' }])
  })

  it('fails where the answer holds no list', async () => {
    await using server = await startProviderServer({ script: [jsonAnswer({ ok: true })] })
    const listing = new OpenAiCompatibleAdapter({ baseURL: server.url }).listModels('p')
    await expect(listing).rejects.toMatchObject({ code: 'MALFORMED_RESPONSE' })
  })
})

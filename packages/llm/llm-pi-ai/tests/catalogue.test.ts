import { getBuiltinModels, getBuiltinProviders } from '@earendil-works/pi-ai/providers/all'
import { createLlm, createUserMessage, type LlmRuntime, use } from 'dsh-llm'
import { describe, expect, it } from 'vitest'
import piAi, { knownProviders, type PiAiConfig } from '../src/index.ts'
import { apiNames } from '../src/api-names.ts'

const spoken: readonly string[] = apiNames

async function withRoutes<Result>(
  providers: PiAiConfig['providers'],
  look: (llm: LlmRuntime) => Promise<Result>,
): Promise<Result> {
  await using host = await createLlm({ plugins: [use(piAi, { providers })] })
  return await look(host.llm)
}

describe('knownProviders', () => {
  it('are those of the installed catalogue that speak an API of ours, each with its APIs', () => {
    const installed = getBuiltinProviders().map((provider) => {
      const apis = new Set(getBuiltinModels(provider).map(({ api }) => String(api)))
      return [provider, [...apis].filter((api) => spoken.includes(api)).toSorted()] as const
    })
    const table = Object.entries(knownProviders).map(([provider, { apis }]) => [provider, [...apis].toSorted()])
    expect(Object.fromEntries(table)).toEqual(
      Object.fromEntries(installed.filter(([, apis]) => apis.length > 0)),
    )
  })

  it.each(Object.keys(knownProviders))('%s lists its models', async (provider) => {
    const models = await withRoutes({ route: { provider } }, (llm) => llm.listModels('route'))
    const installed = getBuiltinModels(provider as 'openai').filter(({ api }) => spoken.includes(api))
    expect(models.map(({ id }) => id).toSorted()).toEqual(installed.map(({ id }) => id).toSorted())
  })
})

describe('facts of a model', () => {
  it('come from the catalogue: window, cap, levels, modalities, price', async () => {
    const [installed] = getBuiltinModels('anthropic').filter(({ id }) => id === 'claude-opus-4-5')
    const info = await withRoutes({ anthropic: {} }, (llm) => llm.resolveModel('anthropic', 'claude-opus-4-5'))
    expect(info).toMatchObject({
      provider: 'anthropic',
      id: 'claude-opus-4-5',
      name: installed?.name,
      inputModalities: installed?.input,
      context: { contextWindow: installed?.contextWindow },
      defaultMaxTokens: installed?.maxTokens,
      price: { input: installed?.cost.input, output: installed?.cost.output },
    })
    expect(info.reasoning?.efforts.map(({ id }) => id)).toEqual(expect.arrayContaining(['off', 'low', 'high']))
  })

  it('are those of every model the runtime accepts', async () => {
    for (const provider of ['openai', 'google', 'openrouter', 'amazon-bedrock'])
      await withRoutes({ [provider]: {} }, async (llm) => {
        for (const { id } of await llm.listModels(provider)) await llm.resolveModel(provider, id)
      })
  })

  it('that are declared come before the catalogue, field by field', async () => {
    const models = [{ id: 'claude-opus-4-5', name: 'Ours', contextWindow: 1000, price: { input: 1 } }]
    const info = await withRoutes({ anthropic: { models } }, (llm) =>
      llm.resolveModel('anthropic', 'claude-opus-4-5'),
    )
    expect(info).toMatchObject({
      name: 'Ours',
      context: { contextWindow: 1000 },
      price: { input: 1, output: 25 },
    })
    expect(info.reasoning?.efforts.length).toBeGreaterThan(1)
  })

  it('that nobody knows are left open', async () => {
    const info = await withRoutes({ openai: {} }, (llm) => llm.resolveModel('openai', 'of-tomorrow'))
    expect(info).toEqual({ provider: 'openai', id: 'of-tomorrow', name: 'of-tomorrow' })
  })

  it.each([
    ['openrouter', {}, 'of-tomorrow', /no API is known for it/],
    ['azure', {}, 'gpt-5.4', /no address is known for it: set `baseURL`/],
    ['cloudflare-workers-ai', {}, '@cf/openai/gpt-oss-120b', /has places to be filled/],
    ['own', { api: 'openai-completions' as const }, 'm', /no address is known/],
  ])('refuse a call where %s could not be reached', async (provider, config, model, words) => {
    const messages = [createUserMessage('Hi')]
    const options = { apiKey: 'k', ...config }
    const { finish } = await withRoutes({ [provider]: options }, (llm) =>
      llm.generate({ provider, model, messages }),
    )
    expect(finish.failure).toMatchObject({ code: 'UNKNOWN_MODEL', message: expect.stringMatching(words) })
  })

  it('of a model that stands for others tell how they are called', async () => {
    const providers = { openrouter: { model: 'anthropic/claude-opus-4.5' } }
    const info = await withRoutes(providers, (llm) => llm.resolveModel('openrouter', 'of-tomorrow'))
    expect(info.id).toBe('of-tomorrow')
  })
})

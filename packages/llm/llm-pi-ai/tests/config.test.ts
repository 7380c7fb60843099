import { createLlm, use } from 'dsh-llm'
import { describe, expect, it } from 'vitest'
import piAi, { type PiAiConfig } from '../src/index.ts'

async function load(config: unknown): Promise<string> {
  try {
    await using host = await createLlm({ plugins: [use(piAi, config as PiAiConfig)] })
    return host.llm
      .listProviders()
      .map(({ id, name }) => `${id}=${name}`)
      .join()
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

describe('the config of pi-ai', () => {
  it('makes a route of each provider, named as it likes', async () => {
    const providers = { anthropic: {}, fast: { provider: 'groq', displayName: 'Groq' } }
    expect(await load({ providers })).toBe('anthropic=anthropic,fast=Groq')
  })

  it.each([
    [{}, 'providers'],
    [{ providers: { openai: { apiKay: 'x' } } }, 'providers.openai.apiKay'],
    [{ providers: { openai: { baseURL: 'ftp://x' } } }, 'providers.openai.baseURL: must be an absolute http'],
    [{ providers: { mine: {} } }, 'providers.mine: "mine" is no provider of the catalogue'],
    [{ providers: { mine: { provider: 'openai-codex' } } }, 'providers.mine.provider'],
    [{ providers: { mine: { api: 'soap', baseURL: 'http://x' } } }, 'providers.mine.api: must be one of'],
    [{ providers: { openai: { models: [{ name: 'x' }] } } }, 'providers.openai.models.0.id'],
    [
      { providers: { openai: { models: [{ id: 'a', api: 'x' }] } } },
      'providers.openai.models.0.api: must be one of',
    ],
    [{ providers: { openai: { models: [{ id: 'a' }, { id: 'a' }] } } }, 'lists a model twice'],
    [{ providers: { openai: { models: [{ id: 'a', price: { input: -1 } }] } } }, 'models.0.price.input'],
    [
      { providers: JSON.parse('{"__proto__":{"api":"openai-completions"}}') },
      'providers: has a route with a name',
    ],
    [{ providers: { openai: { options: { region: {} } } } }, 'providers.openai.options.region'],
  ])('is refused naming what is wrong: %j', async (config, words) => {
    expect(await load(config)).toContain(words)
  })

  it('gives each adapter the options that its APIs can carry', async () => {
    const providers = { anthropic: {}, openai: {}, google: {}, groq: {}, opencode: {} }
    await using host = await createLlm({ plugins: [use(piAi, { providers })] })
    const asked = { messages: [], seed: 1, stop: ['x'], topP: 0.5, responseFormat: { type: 'json' as const } }
    const missing = Object.keys(providers).map((provider) => [
      provider,
      host.llm.unsupported({ provider, model: 'm', ...asked }),
    ])
    expect(Object.fromEntries(missing)).toEqual({
      anthropic: ['seed'],
      openai: ['seed', 'stop'],
      google: [],
      groq: [],
      opencode: [],
    })
  })
})

import { userAgent } from 'dsh-llm'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { fourWires, stage, type WireName } from './support/requests-support.ts'

const wires = [...fourWires, 'mistral-conversations'] as const
const key = 'k-test-SENTINEL'

/** Under which header each API takes the key. */
const credentials: Readonly<Record<WireName, readonly [name: string, value: string]>> = {
  'openai-completions': ['authorization', `Bearer ${key}`],
  'openai-responses': ['authorization', `Bearer ${key}`],
  'anthropic-messages': ['x-api-key', key],
  'google-generative-ai': ['x-goog-api-key', key],
  'mistral-conversations': ['authorization', `Bearer ${key}`],
}

const credentialNames = ['authorization', 'x-api-key', 'x-goog-api-key', 'api-key', 'cookie']
const foreign = Object.fromEntries(['User-Agent', ...credentialNames].map((name) => [name, 'foreign']))

afterEach(() => vi.unstubAllEnvs())

describe.each(wires)('headers over %s', (wire) => {
  const [credentialName, credential] = credentials[wire]

  it('names the harness and carries the key, and nothing else that names anyone', async () => {
    await using set = await stage({ wire })
    await set.body()
    const { headers = {} } = set.server.requests[0] ?? {}
    expect(headers).toMatchObject({ 'user-agent': userAgent(), [credentialName]: credential })
    expect(credentialNames.filter((name) => name in headers)).toEqual([credentialName])
    expect(
      Object.keys(headers).filter((name) => /stainless|browser-access|session|affinity/.test(name)),
    ).toEqual([])
  })

  it('tells nothing of the SDK and the engine below', async () => {
    await using set = await stage({ wire })
    await set.body()
    const told = Object.values(set.server.requests[0]?.headers ?? {}).join(' ')
    expect(told).not.toMatch(/sdk|gl-node|pi-ai|OpenAI\/JS|Anthropic\/JS/i)
  })

  it('wears the identity of the config wholly', async () => {
    const identity = { product: 'acme', version: '2.0', url: 'https://acme.test' }
    await using set = await stage({ wire, config: { identity } })
    await set.body()
    const { headers = {} } = set.server.requests[0] ?? {}
    expect(headers['user-agent']).toBe('acme/2.0 (+https://acme.test)')
    expect(JSON.stringify(headers)).not.toContain('dsh-llm')
  })

  it('adds the headers of the config and of the request, those of the config first', async () => {
    await using set = await stage({ wire, config: { headers: { 'X-Conf': 'c', 'x-both': 'config' } } })
    await set.body({ headers: { 'X-Team': 'blue', 'X-Both': 'request' } })
    expect(set.server.requests[0]?.headers).toMatchObject({
      'x-conf': 'c',
      'x-team': 'blue',
      'x-both': 'config',
    })
  })

  it('lets neither request nor config replace key and attribution', async () => {
    await using set = await stage({ wire, config: { headers: foreign } })
    await set.body({ headers: foreign })
    const { headers = {} } = set.server.requests[0] ?? {}
    expect(headers).toMatchObject({ 'user-agent': userAgent(), [credentialName]: credential })
    expect(Object.values(headers)).not.toContain('foreign')
  })

  it('sends no credential where there is no key', async () => {
    await using set = await stage({ wire, config: { apiKey: undefined } })
    await set.body({ headers: foreign })
    const { headers = {} } = set.server.requests[0] ?? {}
    expect(credentialNames.filter((name) => name in headers)).toEqual([])
  })

  it('lets the config bring credentials of its own where there is no key', async () => {
    await using set = await stage({
      wire,
      config: { apiKey: undefined, headers: { Authorization: 'Basic abc' } },
    })
    await set.body({ headers: foreign })
    expect(set.server.requests[0]?.headers['authorization']).toBe('Basic abc')
  })

  it('masks the key before the taps', async () => {
    const seen: unknown[] = []
    const tap = (entry: unknown): void => void seen.push(entry)
    await using set = await stage({ wire, config: { onRequest: tap, onResponse: tap } })
    await set.body()
    expect(seen).toHaveLength(2)
    expect(JSON.stringify(seen)).not.toContain('SENTINEL')
    expect(seen[0]).toMatchObject({ method: 'POST', headers: { [credentialName]: '[masked]' } })
    expect(seen[1]).toMatchObject({ status: 200 })
  })
})

describe('headers: environment variables of the SDKs', () => {
  it.each(['openai-completions', 'openai-responses'] as const)(
    'sends neither organization nor project over %s',
    async (wire) => {
      vi.stubEnv('OPENAI_ORG_ID', 'org-from-env')
      vi.stubEnv('OPENAI_PROJECT_ID', 'project-from-env')
      await using set = await stage({ wire })
      await set.body()
      expect(JSON.stringify(set.server.requests[0]?.headers)).not.toContain('from-env')
    },
  )

  it.each([
    ['openai-completions', 'OPENAI_CUSTOM_HEADERS', 'Authorization: Bearer from-env'],
    ['openai-responses', 'OPENAI_CUSTOM_HEADERS', 'Authorization: Bearer from-env'],
    ['anthropic-messages', 'ANTHROPIC_CUSTOM_HEADERS', 'x-api-key: from-env'],
  ] as const)('lets no header of the environment replace the key over %s', async (wire, name, line) => {
    vi.stubEnv(name, line)
    await using set = await stage({ wire })
    await set.body()
    const [credentialName, credential] = credentials[wire]
    expect(set.server.requests[0]?.headers[credentialName]).toBe(credential)
  })

  it.each([
    ['openai-completions', 'OPENAI_CUSTOM_HEADERS'],
    ['openai-responses', 'OPENAI_CUSTOM_HEADERS'],
    ['anthropic-messages', 'ANTHROPIC_CUSTOM_HEADERS'],
  ] as const)('sends no header of the environment over %s', async (wire, name) => {
    vi.stubEnv(name, 'x-team: from-env')
    await using set = await stage({ wire })
    await set.body()
    expect(set.server.requests[0]?.headers).not.toHaveProperty('x-team')
  })

  it('takes no token of the environment beside the key', async () => {
    vi.stubEnv('ANTHROPIC_AUTH_TOKEN', 'from-env')
    await using set = await stage({ wire: 'anthropic-messages' })
    await set.body()
    expect(set.server.requests[0]?.headers).not.toHaveProperty('authorization')
  })

  it.each([
    ['openai-completions', 'OPENAI_BASE_URL'],
    ['openai-responses', 'OPENAI_BASE_URL'],
    ['anthropic-messages', 'ANTHROPIC_BASE_URL'],
    ['google-generative-ai', 'GOOGLE_GEMINI_BASE_URL'],
  ] as const)('keeps to its address over %s whatever %s says', async (wire, name) => {
    vi.stubEnv(name, 'http://127.0.0.1:1/elsewhere')
    await using set = await stage({ wire })
    await set.body()
    expect(set.server.requests).toHaveLength(1)
  })

  it('does not leave the origin when the environment turns Gemini into Vertex', async () => {
    vi.stubEnv('GOOGLE_GENAI_USE_VERTEXAI', 'true')
    vi.stubEnv('GOOGLE_CLOUD_PROJECT', 'project-from-env')
    vi.stubEnv('GOOGLE_CLOUD_LOCATION', 'europe-west1')
    await using set = await stage({ wire: 'google-generative-ai' })
    await set.body()
    expect(set.server.requests).toHaveLength(1)
    expect(JSON.stringify(set.server.requests[0]?.url)).not.toContain('from-env')
  })
})

import { createLlm, createUserMessage, type GenerateOptions, type Llm, use, userAgent } from 'dsh-llm'
import { type Answer, jsonAnswer, type ProviderServer, startProviderServer } from 'dsh-llm-testkit'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import piAi from '../src/index.ts'
import { called, look } from './support/requests-support.ts'

interface Stage extends AsyncDisposable {
  readonly server: ProviderServer
  readonly llm: Llm['llm']
}

async function stage(answer: Answer): Promise<Stage> {
  const server = await startProviderServer({ script: () => answer })
  const route = {
    api: 'bedrock-converse-stream',
    baseURL: server.url,
    apiKey: 'k-test-SENTINEL',
    models: ['m1', 'claude-x'].map((id) => ({ id, reasoning: true, maxTokens: 100 })),
    options: { region: 'us-east-1' },
  } as const
  const { llm, dispose } = await createLlm({ plugins: [use(piAi, { providers: { route } })] })
  const end = async (): Promise<void> => {
    await dispose()
    await server.close()
  }
  return { server, llm, [Symbol.asyncDispose]: end }
}

const question = (options: Partial<GenerateOptions> = {}): GenerateOptions => ({
  provider: 'route',
  model: 'm1',
  messages: [createUserMessage('hi')],
  ...options,
})

const refusal = (status: number, kind: string, headers: Record<string, string> = {}): Answer =>
  jsonAnswer(
    { message: 'no' },
    { status, headers: { 'x-amzn-requestid': 'req-1', 'x-amzn-errortype': kind, ...headers } },
  )

beforeEach(() => {
  // The server of the testkit speaks HTTP/1.1 only, and the SDK reads whatever else the machine has of AWS.
  vi.stubEnv('AWS_BEDROCK_FORCE_HTTP1', '1')
  for (const name of ['AWS_PROFILE', 'AWS_BEARER_TOKEN_BEDROCK', 'HTTP_PROXY', 'HTTPS_PROXY', 'http_proxy'])
    vi.stubEnv(name, undefined)
})
afterEach(() => vi.unstubAllEnvs())

describe('BedrockWatch', () => {
  it.each([
    [429, 'ThrottlingException', 'RATE_LIMIT'],
    [400, 'ValidationException', 'INVALID_REQUEST'],
    [403, 'AccessDeniedException', 'AUTH'],
    [503, 'ServiceUnavailableException', 'OVERLOADED'],
    [500, 'InternalServerException', 'SERVER'],
  ])('sends one request that status %i ends, and tells %s with its request id', async (status, kind, code) => {
    await using set = await stage(refusal(status, `${kind}:http://internal.amazon.com/coral/`))
    const { finish } = await set.llm.generate(question())
    expect(finish.reason).toMatchObject({ kind: 'error', failure: { code, status, requestId: 'req-1' } })
    expect(finish.reason).toMatchObject({ failure: { message: expect.stringContaining(`(${kind})`) } })
    expect(finish.response).toMatchObject({ requestId: 'req-1' })
    expect(set.server.requests).toHaveLength(1)
  })

  it.each([
    [{ 'retry-after': '7' }, 7000],
    [{ 'retry-after-ms': '1500' }, 1500],
  ])('tells how long the header %j asks to wait', async (headers, providerRetryAfterMs) => {
    await using set = await stage(refusal(429, 'ThrottlingException', headers))
    const { finish } = await set.llm.generate(question())
    expect(finish.reason).toMatchObject({ failure: { providerRetryAfterMs } })
  })

  it('sends the key as a bearer token, shows it in no failure and lets no header replace it', async () => {
    await using set = await stage(refusal(400, 'ValidationException'))
    const headers = { 'x-team': 'blue', Authorization: 'Bearer other' }
    const { finish } = await set.llm.generate(question({ headers }))
    expect(set.server.requests[0]?.headers).toMatchObject({
      authorization: 'Bearer k-test-SENTINEL',
      'x-team': 'blue',
    })
    expect(JSON.stringify(finish)).not.toContain('SENTINEL')
  })

  it('repeats neither the key nor much else of what headers say', async () => {
    const kind = `k-test-SENTINEL${'x'.repeat(3000)}`
    await using set = await stage(refusal(400, kind, { 'x-amzn-requestid': 'k-test-SENTINEL' }))
    const { finish } = await set.llm.generate(question())
    expect(JSON.stringify(finish)).not.toContain('SENTINEL')
    expect(finish.failure?.message.length).toBeLessThan(300)
  })

  it('names the harness as the caller', async () => {
    await using set = await stage(refusal(400, 'ValidationException'))
    await set.llm.generate(question())
    expect(set.server.requests[0]?.headers['user-agent']).toBe(userAgent())
  })

  it('ends at once when aborted while it waits, and closes the connection', async () => {
    await using set = await stage({ chunks: [], raw: true, end: 'hang' })
    const controller = new AbortController()
    const answer = set.llm.generate(question({ signal: controller.signal }))
    const request = await set.server.waitForRequest()
    controller.abort()
    expect((await answer).finish.reason.kind).toBe('aborted')
    expect((await request.closed).by).toBe('client')
    expect(set.server.requests).toHaveLength(1)
  })
})

describe('bedrock: request', () => {
  it('writes every option it carries into the Converse body', async () => {
    await using set = await stage(refusal(400, 'ValidationException'))
    await set.llm.generate(
      question({
        system: 'Be brief',
        tools: [look],
        toolChoice: { name: 'look' },
        temperature: 0.5,
        maxTokens: 50,
        topP: 0.9,
        stop: ['X'],
      }),
    )
    const [request] = set.server.requests
    expect(request?.path).toBe('/model/m1/converse-stream')
    expect(request?.json).toEqual({
      messages: [{ role: 'user', content: [{ text: 'hi' }] }],
      system: [{ text: 'Be brief' }],
      inferenceConfig: { maxTokens: 50, temperature: 0.5, topP: 0.9, stopSequences: ['X'] },
      toolConfig: {
        tools: [{ toolSpec: { name: 'look', description: 'Looks', inputSchema: { json: look.parameters } } }],
        toolChoice: { tool: { name: 'look' } },
      },
    })
  })

  it('writes past arguments as plain JSON, which is all that the SDK knows', async () => {
    await using set = await stage(refusal(400, 'ValidationException'))
    const past = called({ id: 'c1', arguments: '{"a":2.0,"b":[1e3]}' })
    await set.llm.generate(question({ messages: [createUserMessage('hi'), ...past] }))
    expect(set.server.requests[0]?.body).toContain('"input":{"a":2,"b":[1000]}')
  })

  it.each<Partial<GenerateOptions>>([
    { seed: 7 },
    { responseFormat: { type: 'json' } },
    { reasoningEffort: 'high', temperature: 0.5, model: 'claude-x' },
    { reasoningEffort: 'high', toolChoice: 'required', tools: [look], model: 'claude-x' },
    { providerOptions: { piAi: { thinkingBudgetTokens: 2000 } }, model: 'claude-x' },
  ])('refuses %j before anything is sent', async (options) => {
    await using set = await stage({})
    const { finish } = await set.llm.generate(question(options))
    expect(finish.reason).toMatchObject({ failure: { code: 'UNSUPPORTED_OPTION' } })
    expect(set.server.requests).toHaveLength(0)
  })

  it('refuses an effort that has no meaning there', async () => {
    await using set = await stage({})
    const { finish } = await set.llm.generate(question({ model: 'claude-x', reasoningEffort: 'banana' }))
    expect(finish.failure?.code).toBe('UNSUPPORTED_REASONING_EFFORT')
    expect(set.server.requests).toHaveLength(0)
  })

  it.each([
    [{ reasoningEffort: 'high' }, 'high'],
    [{ providerOptions: { piAi: { extraBody: { top_k: 5 } } } }, '"top_k":5'],
  ])('does not drop %j in silence', async (options, words) => {
    await using set = await stage(refusal(400, 'ValidationException'))
    const { finish } = await set.llm.generate(question(options))
    const [request] = set.server.requests
    if (request !== undefined) expect(request.body).toContain(words)
    else expect(finish.reason).toMatchObject({ failure: { code: expect.stringMatching(/^UNSUPPORTED_/) } })
  })
})

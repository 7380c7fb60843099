import type { AdapterRequest, StreamChunk } from 'dsh-llm'
import { createUserMessage } from 'dsh-llm'
import { describe, expect, it } from 'vitest'
import { type Answer, jsonAnswer, startProviderServer } from 'dsh-llm-testkit'
import { OpenAiCompatibleAdapter, type OpenAiCompatibleAdapterOptions } from '../src/adapter.ts'
import { choice, done, summary } from './support/translate-events.ts'

const frame = (data: string): string => `data: ${data}\n\n`
const hello = [choice({ content: 'Hel' }), choice({ content: 'lo' }), choice({}, 'stop'), done].map(frame)

function requestOf(more: Partial<AdapterRequest> = {}): AdapterRequest {
  return {
    provider: 'p',
    model: 'm',
    messages: [createUserMessage('hi')],
    signal: new AbortController().signal,
    ...more,
  }
}

async function drain(stream: AsyncIterable<StreamChunk>): Promise<StreamChunk[]> {
  const chunks: StreamChunk[] = []
  for await (const chunk of stream) chunks.push(chunk)
  return chunks
}

type Options = Omit<OpenAiCompatibleAdapterOptions, 'baseURL'>

async function exchange(answer: Answer, options: Options = {}, request: Partial<AdapterRequest> = {}) {
  await using server = await startProviderServer({ script: [answer] })
  const adapter = new OpenAiCompatibleAdapter({ baseURL: server.url, ...options })
  const chunks = await drain(adapter.stream(requestOf(request)))
  return { chunks, received: await server.waitForRequest() }
}

describe('OpenAiCompatibleAdapter', () => {
  it('posts one request and translates the answer', async () => {
    const { chunks, received } = await exchange({ chunks: hello, headers: { 'x-request-id': 'req-7' } })
    expect(summary(chunks)).toEqual(['text Hello', 'stop'])
    expect(chunks.at(-1)).toMatchObject({
      response: { provider: 'p', model: 'm', servedModel: 'served', requestId: 'req-7' },
    })
    expect(received.path).toBe('/chat/completions')
    expect(received.json).toMatchObject({
      model: 'm',
      stream: true,
      messages: [{ role: 'user', content: 'hi' }],
    })
  })

  it('sends the key of each request and the attribution', async () => {
    let asked = 0
    const apiKey = async (): Promise<string> => ` sk-${(asked += 1)} `
    await using server = await startProviderServer({ script: [{ chunks: hello }, { chunks: hello }] })
    const adapter = new OpenAiCompatibleAdapter({
      baseURL: server.url,
      apiKey,
      identity: { product: 'acme', version: '1.2' },
    })
    await drain(adapter.stream(requestOf()))
    await drain(adapter.stream(requestOf()))
    expect(server.requests.map(({ headers }) => headers['authorization'])).toEqual([
      'Bearer sk-1',
      'Bearer sk-2',
    ])
    expect(server.requests[0]?.headers['user-agent']).toBe('acme/1.2')
  })

  it('sends no key where none is configured, and our own name by default', async () => {
    const { received } = await exchange({ chunks: hello })
    expect(received.headers['authorization']).toBeUndefined()
    expect(received.headers['user-agent']).toMatch(/^dsh-llm\//)
  })

  it('lets no header of a request replace authentication, attribution or what is configured', async () => {
    const headers = { Authorization: 'mine', 'User-Agent': 'mine', 'X-Team': 'mine', 'X-Trace': 't1' }
    const options = { apiKey: 'sk-1', headers: { 'x-team': 'ours' } }
    const { received } = await exchange({ chunks: hello }, options, { headers })
    expect(received.headers).toMatchObject({ authorization: 'Bearer sk-1', 'x-team': 'ours', 'x-trace': 't1' })
    expect(received.headers['user-agent']).toMatch(/^dsh-llm\//)
  })

  it.each([
    ['an empty key', { apiKey: ' ' }, 'MISSING_CREDENTIAL'],
    ['an unset variable', { apiKeyEnv: 'DSH_TEST_UNSET_VARIABLE' }, 'MISSING_CREDENTIAL'],
    ['a key no header can carry', { apiKey: 'sk-密' }, 'INVALID_CREDENTIAL'],
  ])('fails before any request for %s', async (_name, options, code) => {
    await using server = await startProviderServer({ script: [] })
    const adapter = new OpenAiCompatibleAdapter({ baseURL: server.url, ...options })
    await expect(drain(adapter.stream(requestOf()))).rejects.toMatchObject({ code })
    expect(server.requests).toHaveLength(0)
  })

  it('is lazy: nothing is sent before the first pull', async () => {
    await using server = await startProviderServer({ script: [] })
    const iterator = new OpenAiCompatibleAdapter({ baseURL: server.url }).stream(requestOf())
    await iterator.return?.()
    expect(await iterator.next()).toEqual({ done: true, value: undefined })
    expect(server.connectionCount).toBe(0)
  })

  it('throws the classified failure of an HTTP error without the key in it', async () => {
    const answer = jsonAnswer(
      { error: { message: 'Bad key sk-SENTINEL. Bearer sk-SENTINEL' } },
      { status: 401 },
    )
    const failed = exchange(answer, { apiKey: 'sk-SENTINEL' })
    await expect(failed).rejects.toMatchObject({ code: 'AUTH', failure: { status: 401 } })
    await expect(failed).rejects.not.toThrow('SENTINEL')
  })

  it('tells an exhausted quota from a rate limit', async () => {
    const quota = exchange(
      jsonAnswer({ error: { message: 'No credit left', type: 'insufficient_quota' } }, { status: 429 }),
    )
    await expect(quota).rejects.toMatchObject({ code: 'QUOTA' })
    const rate = exchange(
      jsonAnswer({ error: { message: 'Slow down' } }, { status: 429, headers: { 'retry-after': '2' } }),
    )
    await expect(rate).rejects.toMatchObject({ code: 'RATE_LIMIT', failure: { providerRetryAfterMs: 2000 } })
  })

  it('understands a JSON body in place of a stream', async () => {
    const body = { choices: [{ index: 0, message: { content: 'Hi' }, finish_reason: 'stop' }] }
    const { chunks } = await exchange(jsonAnswer(body))
    expect(summary(chunks)).toEqual(['text Hi', 'stop'])
  })

  it('ends at the marker although the server keeps the connection open', async () => {
    const { chunks, received } = await exchange({ chunks: hello, end: 'hang' })
    expect(summary(chunks)).toEqual(['text Hello', 'stop'])
    await expect(received.closed).resolves.toBeDefined()
  })

  it.each([
    ['reset', 'TRANSPORT'],
    ['close', 'STREAM_CLOSED'],
  ] as const)('keeps what came before a %s', async (end, code) => {
    const { chunks } = await exchange({ chunks: hello.slice(0, 1), end, headers: { 'x-request-id': 'req-9' } })
    expect(summary(chunks)).toEqual(['open text', `error ${code}`])
    expect(chunks.at(-1)).toMatchObject({ reason: { failure: { requestId: 'req-9' } } })
  })

  it('closes the connection when the consumer leaves', async () => {
    await using server = await startProviderServer({ script: [{ chunks: hello.slice(0, 1), end: 'hang' }] })
    for await (const chunk of new OpenAiCompatibleAdapter({ baseURL: server.url }).stream(requestOf())) {
      if (chunk.type === 'text-delta') break
    }
    const received = await server.waitForRequest()
    expect((await received.closed).by).toBe('client')
  })

  it('closes the connection when the consumer leaves while it is being opened', async () => {
    await using server = await startProviderServer({ script: [{ raw: true, end: 'hang' }] })
    const iterator = new OpenAiCompatibleAdapter({ baseURL: server.url }).stream(requestOf())
    const pull = iterator.next()
    const received = await server.waitForRequest()
    await iterator.return?.()
    expect((await received.closed).by).toBe('client')
    expect(await pull).toEqual({ done: true, value: undefined })
  })

  it('ends aborted, with what came, when the caller aborts', async () => {
    await using server = await startProviderServer({ script: [{ chunks: hello.slice(0, 1), end: 'hang' }] })
    const controller = new AbortController()
    const chunks: StreamChunk[] = []
    const stream = new OpenAiCompatibleAdapter({ baseURL: server.url }).stream(
      requestOf({ signal: controller.signal }),
    )
    for await (const chunk of stream) {
      chunks.push(chunk)
      if (chunk.type === 'text-delta') controller.abort(new Error('stop now'))
    }
    expect(summary(chunks)).toEqual(['open text', 'aborted ABORTED'])
    expect((await (await server.waitForRequest()).closed).by).toBe('client')
  })

  it('gives two pulls at once two chunks', async () => {
    await using server = await startProviderServer({ script: [{ chunks: hello }] })
    const iterator = new OpenAiCompatibleAdapter({ baseURL: server.url }).stream(requestOf())
    const steps = await Promise.all([iterator.next(), iterator.next(), iterator.next()])
    expect(steps.map(({ value }) => value?.type)).toEqual(['block-start', 'text-delta', 'text-delta'])
    await iterator.return?.()
  })
})

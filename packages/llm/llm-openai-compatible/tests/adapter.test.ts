import type { AdapterRequest } from 'dsh-llm'
import { createUserMessage } from 'dsh-llm'
import { describe, expect, it } from 'vitest'
import { type Answer, collectChunks, jsonAnswer, startProviderServer } from 'dsh-llm-testkit'
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

type Options = Omit<OpenAiCompatibleAdapterOptions, 'baseURL'>

async function exchange(answer: Answer, options: Options = {}, request: Partial<AdapterRequest> = {}) {
  await using server = await startProviderServer({ script: [answer] })
  const adapter = new OpenAiCompatibleAdapter({ baseURL: server.url, ...options })
  const chunks = await collectChunks(adapter.stream(requestOf(request)))
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
    await collectChunks(adapter.stream(requestOf()))
    await collectChunks(adapter.stream(requestOf()))
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
    await expect(collectChunks(adapter.stream(requestOf()))).rejects.toMatchObject({ code })
    expect(server.requests).toHaveLength(0)
  })

  it('is lazy: nothing is sent before the first pull', async () => {
    await using server = await startProviderServer({ script: [] })
    const iterator = new OpenAiCompatibleAdapter({ baseURL: server.url }).stream(requestOf())
    await iterator.return?.()
    expect(await iterator.next()).toEqual({ done: true, value: undefined })
    expect(server.connectionCount).toBe(0)
  })

  it('understands a JSON body in place of a stream', async () => {
    const body = { choices: [{ index: 0, message: { content: 'Hi' }, finish_reason: 'stop' }] }
    const { chunks } = await exchange(jsonAnswer(body))
    expect(summary(chunks)).toEqual(['text Hi', 'stop'])
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

  it('gives two pulls at once two chunks', async () => {
    await using server = await startProviderServer({ script: [{ chunks: hello }] })
    const iterator = new OpenAiCompatibleAdapter({ baseURL: server.url }).stream(requestOf())
    const steps = await Promise.all([iterator.next(), iterator.next(), iterator.next()])
    expect(steps.map(({ value }) => value?.type)).toEqual(['block-start', 'text-delta', 'text-delta'])
    await iterator.return?.()
  })
})

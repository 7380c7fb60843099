import OpenAI from 'openai'
import { describe, expect, it } from 'vitest'
import {
  type Answer,
  chatCompletions,
  chatDialects,
  cutEvery,
  deepseekDialect,
  jsonAnswer,
  type ProviderServer,
  startProviderServer,
} from '../src/index.ts'

const question = {
  model: 'gpt-demo',
  messages: [{ role: 'user' as const, content: 'Weather?' }],
  stream_options: { include_usage: true },
}

function connect({ url }: ProviderServer): OpenAI {
  return new OpenAI({ baseURL: url, apiKey: 'sk-test', maxRetries: 0 })
}

/** What the client's own accumulator makes of one answer. */
async function read(answer: Answer): Promise<OpenAI.ChatCompletion> {
  await using server = await startProviderServer({ script: [answer] })
  return await connect(server).chat.completions.stream(question).finalChatCompletion()
}

describe('startProviderServer before the openai client, which nobody here wrote', () => {
  it('streams text and usage that the client adds up', async () => {
    const usage = { inputTokens: 8, cacheReadTokens: 4, outputTokens: 2 }
    const completion = await read({ chunks: chatCompletions({ text: ['Rain ', 'today'], usage }) })
    expect(completion.choices[0]?.message.content).toBe('Rain today')
    expect(completion.choices[0]?.finish_reason).toBe('stop')
    expect(completion.usage).toMatchObject({
      prompt_tokens: 12,
      completion_tokens: 2,
      total_tokens: 14,
      prompt_tokens_details: { cached_tokens: 4 },
    })
  })

  it.each([
    ['pieces', {}],
    ['whole', chatDialects.groq],
  ])('streams parallel calls as %s', async (_, dialect) => {
    const calls = [
      { id: 'call_a', name: 'weather', arguments: ['{"city":', '"Oslo"}'] },
      { id: 'call_b', name: 'time', arguments: '{}' },
    ]
    const completion = await read({ chunks: chatCompletions({ text: 'Sure', calls }, dialect) })
    expect(completion.choices[0]?.finish_reason).toBe('tool_calls')
    expect(completion.choices[0]?.message.tool_calls).toMatchObject([
      { id: 'call_a', type: 'function', function: { name: 'weather', arguments: '{"city":"Oslo"}' } },
      { id: 'call_b', type: 'function', function: { name: 'time', arguments: '{}' } },
    ])
  })

  it('is understood when every byte comes by itself', async () => {
    const frames = chatCompletions({ text: ['Grüße ', '👋🏽'] }).join('')
    const completion = await read({ chunks: cutEvery(frames, 1), batched: true })
    expect(completion.choices[0]?.message.content).toBe('Grüße 👋🏽')
  })

  it('sends the fields of other servers, which the client passes on', async () => {
    await using server = await startProviderServer({
      script: [{ chunks: chatCompletions({ reasoning: ['Look ', 'up'], text: 'Rain' }, deepseekDialect) }],
    })
    const stream = await connect(server).chat.completions.create({ ...question, stream: true })
    let reasoning = ''
    for await (const { choices } of stream) {
      reasoning += Reflect.get(choices[0]?.delta ?? {}, 'reasoning_content') ?? ''
    }
    expect(reasoning).toBe('Look up')
  })

  it('answers with errors that the client tells apart', async () => {
    const body = { error: { message: 'Slow down', type: 'rate_limit_error', param: null, code: null } }
    const headers = { 'retry-after': '2', 'x-request-id': 'req-1' }
    await using server = await startProviderServer({ script: [jsonAnswer(body, { status: 429, headers })] })
    const refused = connect(server).chat.completions.create({ ...question, stream: true })
    await expect(refused).rejects.toMatchObject({
      status: 429,
      type: 'rate_limit_error',
      requestID: 'req-1',
    })
    await expect(refused).rejects.toBeInstanceOf(OpenAI.RateLimitError)
  })

  it('shows what the client sent and that it left', async () => {
    await using server = await startProviderServer({
      script: [{ chunks: chatCompletions({ text: ['Rain', 'y'] }).slice(0, 2), end: 'hang' }],
    })
    const stream = await connect(server).chat.completions.create({ ...question, stream: true })
    for await (const { choices } of stream) if (choices[0]?.delta.content === 'Rain') break
    const request = await server.waitForRequest()
    expect(request.json).toMatchObject({ model: 'gpt-demo', stream: true })
    expect([request.path, request.headers['authorization']]).toEqual(['/chat/completions', 'Bearer sk-test'])
    expect((await request.closed).by).toBe('client')
  })
})

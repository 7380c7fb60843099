import { createLlm, createToolResultMessage, createUserMessage, type Message, use } from 'dsh-llm'
import deepseek from 'dsh-llm-deepseek'
import retry from 'dsh-llm-retry'
import {
  anthropicMessages,
  chatCompletions,
  type Answer,
  jsonAnswer,
  startProviderServer,
} from 'dsh-llm-testkit'
import { describe, expect, it } from 'vitest'
import piAi from '../src/index.ts'

const look = { name: 'look', description: 'Looks', parameters: { type: 'object', properties: {} } }
// All that base64 may hold, and too long to be cut by accident.
const signature = `Eq+/${'QUJDREVG+/'.repeat(120)}==`
const redacted = `b3Bh+/${'cXVl'.repeat(40)}=`

const thinking: Answer = {
  chunks: anthropicMessages(
    {
      reasoning: ['Let me ', 'look.\n'],
      text: 'Looking',
      calls: [{ id: 'toolu_1', name: 'look', arguments: '{"where": "here"}' }],
    },
    { signature, redacted },
  ),
}
const done: Answer = { chunks: anthropicMessages({ text: 'A lamp' }) }

/** A host with two Anthropic routes of one plugin, and DeepSeek beside them. */
async function openHost(script: readonly Answer[]) {
  const server = await startProviderServer({ script: [...script] })
  const anthropic = { provider: 'anthropic', baseURL: server.url, apiKey: 'k' }
  const host = await createLlm({
    plugins: [
      use(piAi, { providers: { claude: anthropic, 'claude-eu': anthropic } }),
      use(deepseek, { baseURL: server.url, apiKey: 'k' }),
      use(retry, { initialDelayMs: 0, maxDelayMs: 0 }),
    ],
  })
  const ask = (provider: string, messages: readonly Message[], model = 'claude-opus-4-5') =>
    host.llm.generate({ provider, model, tools: [look], reasoningEffort: 'low', messages })
  return {
    server,
    ask,
    async [Symbol.asyncDispose]() {
      await host.dispose()
      await server[Symbol.asyncDispose]()
    },
  }
}

const question = createUserMessage('What is there?')

/** The conversation after the first turn, with its call answered. */
async function firstTurn(
  ask: (provider: string, messages: readonly Message[]) => Promise<{ message?: Message | undefined }>,
): Promise<readonly Message[]> {
  const { message } = await ask('claude', [question])
  if (message === undefined) throw new Error('The first turn gave no answer')
  const calls = message.content.flatMap((block) => (block.type === 'tool-call' ? [block.id] : []))
  return [question, message, ...calls.map((callId) => createToolResultMessage({ callId, content: 'a lamp' }))]
}

/** What the assistant said, as a request brings it back. */
function broughtBack(body: unknown): unknown {
  const { messages } = body as { messages: { role: string; content: unknown }[] }
  return messages.find(({ role }) => role === 'assistant')?.content
}

describe('a tool session of two turns with thinking, on the wire of Anthropic', () => {
  it('brings signatures and redacted thinking back byte by byte, to both routes of the instance', async () => {
    await using host = await openHost([thinking, done, done])
    const messages = await firstTurn(host.ask)
    for (const route of ['claude', 'claude-eu']) expect((await host.ask(route, messages)).text).toBe('A lamp')
    for (const request of host.server.requests.slice(1)) {
      expect(broughtBack(request.json)).toEqual([
        { type: 'thinking', thinking: 'Let me look.\n', signature },
        { type: 'redacted_thinking', data: redacted },
        expect.objectContaining({ type: 'text', text: 'Looking' }),
        expect.objectContaining({ type: 'tool_use', id: 'toolu_1', name: 'look', input: { where: 'here' } }),
      ])
    }
  })

  it('survives a conversation that was stored as JSON', async () => {
    await using host = await openHost([thinking, done])
    const stored: readonly Message[] = JSON.parse(JSON.stringify(await firstTurn(host.ask)))
    await host.ask('claude', stored)
    expect(host.server.requests[1]?.body).toContain(`"signature":"${signature}"`)
  })

  it('gives nobody else any of it: not DeepSeek, not another model', async () => {
    await using host = await openHost([thinking, { chunks: chatCompletions({ text: 'ok' }) }, done])
    const messages = await firstTurn(host.ask)
    await host.ask('deepseek', messages, 'deepseek-flash')
    await host.ask('claude', messages, 'claude-sonnet-4-5')
    const [, toDeepSeek, toSonnet] = host.server.requests
    expect(toDeepSeek?.body).toContain('Looking')
    expect(toSonnet?.body).toContain('Looking')
    for (const { body } of [toDeepSeek, toSonnet].filter((request) => request !== undefined))
      expect(body).not.toMatch(/Eq\+|b3Bh|signature|redacted|thinking":"Let/)
  })

  it('runs once without the state when the provider rejects it', async () => {
    const error = {
      type: 'invalid_request_error',
      message: 'messages.1.content.0: Invalid `signature` in `thinking` block',
    }
    await using host = await openHost([thinking, jsonAnswer({ type: 'error', error }, { status: 400 }), done])
    const messages = await firstTurn(host.ask)
    expect((await host.ask('claude', messages)).text).toBe('A lamp')
    expect(host.server.requests).toHaveLength(3)
    expect(host.server.requests[1]?.body).toContain(signature)
    expect(host.server.requests[2]?.body).not.toContain('signature')
  })
})

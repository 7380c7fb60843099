import {
  createLlm,
  createToolResultMessage,
  createUserMessage,
  type LlmRuntime,
  type PluginUse,
  use,
} from 'dsh-llm'
import deepseek from 'dsh-llm-deepseek'
import {
  chatCompletions,
  deepseekDialect,
  type NeutralAnswer,
  type ProviderServer,
  startProviderServer,
} from 'dsh-llm-testkit'
import { describe, expect, it } from 'vitest'
import piAi from '../src/index.ts'

/** Says, for the same server, how either adapter gets there. The consumer below knows the route's name alone. */
const adapters: readonly (readonly [name: string, plugin: (server: ProviderServer) => PluginUse])[] = [
  ['deepseek', ({ url }) => use(deepseek, { provider: 'model', baseURL: url, apiKey: 'k' })],
  [
    'pi-ai',
    ({ url }) => use(piAi, { providers: { model: { provider: 'deepseek', baseURL: url, apiKey: 'k' } } }),
  ],
]

const look = { name: 'look', description: 'Looks', parameters: { type: 'object', properties: {} } }

/** Two turns as any harness makes them: the answer, its calls run, the answer to that. */
async function converse(llm: LlmRuntime): Promise<unknown> {
  const question = createUserMessage('What is there?')
  const request = { provider: 'model', model: 'deepseek-v4-pro', tools: [look], messages: [question] }
  const first = await llm.generate(request)
  if (first.message === undefined) return describeAnswer(first)
  const results = first.message.content.flatMap((block) =>
    block.type === 'tool-call' ? [createToolResultMessage({ callId: block.id, content: 'a lamp' })] : [],
  )
  const second = await llm.generate({ ...request, messages: [question, first.message, ...results] })
  return [describeAnswer(first), describeAnswer(second)]
}

function describeAnswer({ message, finish, usage }: Awaited<ReturnType<LlmRuntime['generate']>>): object {
  const { kind, failure } = finish
  return { content: message?.content, kind, code: failure?.code, status: failure?.status, usage }
}

const usage = { inputTokens: 7, outputTokens: 9, cacheReadTokens: 4, reasoningTokens: 3 }
const last: NeutralAnswer = { text: ['A ', 'lamp'], usage: { inputTokens: 20, outputTokens: 2 } }
const scripts: Readonly<Record<string, readonly NeutralAnswer[]>> = {
  text: [{ text: ['Noth', 'ing'], usage }],
  'reasoning and text': [{ reasoning: ['Let ', 'me'], text: 'Nothing', usage }, last],
  'a call with thinking': [
    {
      reasoning: 'Hm',
      text: 'Looking',
      calls: [{ id: 'call_1', name: 'look', arguments: '{"a": 1.50}' }],
      usage,
    },
    last,
  ],
  'two calls': [
    {
      calls: [
        { id: 'call_1', name: 'look', arguments: ['{"wh', 'at":1}'] },
        { id: 'call_2', name: 'look', arguments: '{}' },
      ],
    },
    last,
  ],
  'a cut answer': [{ text: 'Once', finish: 'max-tokens', usage }, last],
  'a filtered answer': [{ text: 'Once', finish: 'content_filter' }],
  'an answer that breaks off': [{ text: 'Once', finish: null }],
  'nothing at all': [{}],
  'an error inside': [{ text: 'Once', error: { message: 'Overloaded', type: 'overloaded_error' } }],
}

describe('the same conversation through another adapter', () => {
  it.each(Object.entries(scripts))('gives equal blocks, finish and usage: %s', async (_name, answers) => {
    const outcomes: unknown[] = []
    for (const [, plugin] of adapters) {
      await using server = await startProviderServer({
        script: (_request, index) => ({ chunks: chatCompletions(answers[index] ?? last, deepseekDialect) }),
      })
      await using host = await createLlm({ plugins: [plugin(server)] })
      outcomes.push(await converse(host.llm))
    }
    expect(outcomes[1]).toEqual(outcomes[0])
  })

  it('gives the same failure for a status', async () => {
    const outcomes: unknown[] = []
    for (const [, plugin] of adapters) {
      await using server = await startProviderServer({
        script: [
          {
            status: 402,
            headers: { 'content-type': 'application/json' },
            chunks: '{"error":{"message":"Insufficient Balance"}}',
          },
        ],
      })
      await using host = await createLlm({ plugins: [plugin(server)] })
      outcomes.push(await converse(host.llm))
    }
    expect(outcomes[0]).toMatchObject({ code: 'QUOTA', status: 402 })
    expect(outcomes[1]).toEqual(outcomes[0])
  })
})

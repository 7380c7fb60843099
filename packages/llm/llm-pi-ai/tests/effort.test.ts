import { createLlm, createUserMessage, type GenerateOptions, type LlmFailure, use } from 'dsh-llm'
import { startProviderServer } from 'dsh-llm-testkit'
import { describe, expect, it } from 'vitest'
import piAi from '../src/index.ts'
import { look, type Stage, stage, type WireName, wires } from './support/requests-support.ts'

interface Outcome {
  /** The body without the conversation and the fields that every call has. */
  readonly body: object | undefined
  readonly failure: LlmFailure | undefined
}

const always = [
  'model',
  'stream',
  'stream_options',
  'store',
  'include',
  'max_tokens',
  'messages',
  'input',
  'contents',
]

/** Asks a model of the catalogue, at a server of ours. */
async function ask(
  wire: WireName,
  place: string,
  options: { reasoningEffort?: string | undefined; maxTokens?: number } = {},
): Promise<Outcome> {
  const [provider = '', ...id] = place.split(' ')
  const { render, basePath } = wires[wire]
  await using server = await startProviderServer({ script: () => ({ chunks: render({ text: 'fine' }) }) })
  const route = { provider, baseURL: server.url + basePath, apiKey: 'k' }
  const { llm, dispose } = await createLlm({ plugins: [use(piAi, { providers: { route } })] })
  const messages = [createUserMessage('hi')]
  const { finish } = await llm.generate({ provider: 'route', model: id.join(' '), messages, ...options })
  await dispose()
  const json = server.requests[0]?.json
  const fields = typeof json === 'object' && json !== null ? Object.entries(json) : undefined
  return {
    body: fields && Object.fromEntries(fields.filter(([name]) => !always.includes(name))),
    failure: finish.reason.kind === 'error' ? finish.reason.failure : undefined,
  }
}

const adaptive = (effort: string) => ({
  thinking: { type: 'adaptive', display: 'summarized' },
  output_config: { effort },
})
const budget = (budget_tokens: number) => ({
  thinking: { type: 'enabled', budget_tokens, display: 'summarized' },
})
const disabled = { thinking: { type: 'disabled' } }
const summary = (effort: string) => ({ reasoning: { effort, summary: 'auto' } })
const google = (thinkingConfig: object) => ({ generationConfig: { thinkingConfig } })
const level = (thinkingLevel: string) => google({ includeThoughts: true, thinkingLevel })
const tokens = (thinkingBudget: number) => google({ includeThoughts: true, thinkingBudget })
const deepseek = (effort: string) => ({ thinking: { type: 'enabled' }, reasoning_effort: effort })

const an = 'anthropic-messages'
const oc = 'openai-completions'
const or = 'openai-responses'
const go = 'google-generative-ai'
const mi = 'mistral-conversations'

describe('effort: catalogue models', () => {
  it.each<[WireName, string, string, object]>([
    [an, 'anthropic claude-opus-4-6', 'off', disabled],
    [an, 'anthropic claude-opus-4-6', 'minimal', adaptive('low')],
    [an, 'anthropic claude-opus-4-6', 'medium', adaptive('medium')],
    [an, 'anthropic claude-opus-4-6', 'max', adaptive('max')],
    [an, 'anthropic claude-opus-5-5', 'xhigh', adaptive('xhigh')],
    [an, 'anthropic claude-haiku-4-5', 'off', disabled],
    [an, 'anthropic claude-haiku-4-5', 'minimal', budget(1024)],
    [an, 'anthropic claude-haiku-4-5', 'low', budget(2048)],
    [an, 'anthropic claude-haiku-4-5', 'high', budget(16_384)],
    [or, 'openai gpt-5.4', 'off', { reasoning: { effort: 'none' } }],
    [or, 'openai gpt-5.4', 'xhigh', summary('xhigh')],
    [or, 'openai gpt-5', 'minimal', summary('minimal')],
    [go, 'google gemini-3-flash-preview', 'minimal', level('MINIMAL')],
    [go, 'google gemini-3-flash-preview', 'high', level('HIGH')],
    [go, 'google gemma-4-26b-a4b-it', 'high', level('HIGH')],
    [go, 'google gemini-2.5-flash', 'off', google({ thinkingBudget: 0 })],
    [go, 'google gemini-2.5-flash', 'low', tokens(2048)],
    [go, 'google gemini-2.5-flash', 'high', tokens(24_576)],
    [oc, 'deepseek deepseek-flash', 'off', disabled],
    [oc, 'deepseek deepseek-flash', 'low', deepseek('low')],
    [oc, 'deepseek deepseek-flash', 'max', deepseek('max')],
    [oc, 'openrouter ~deepseek/deepseek-flash-latest', 'off', { reasoning: { effort: 'none' } }],
    [oc, 'openrouter ~deepseek/deepseek-flash-latest', 'max', { reasoning: { effort: 'max' } }],
    [oc, 'zai glm-4.7', 'off', disabled],
    [oc, 'zai glm-4.7', 'high', { thinking: { type: 'enabled', clear_thinking: false } }],
    [
      oc,
      'zai glm-5.2',
      'max',
      { thinking: { type: 'enabled', clear_thinking: false }, reasoning_effort: 'max' },
    ],
    [oc, 'qwen-token-plan kimi-k2.5', 'off', { enable_thinking: false }],
    [oc, 'qwen-token-plan qwen3.8-flash', 'low', { enable_thinking: true, reasoning_effort: 'low' }],
    [oc, 'groq qwen/qwen3.6-27b', 'off', { reasoning_effort: 'none' }],
    [oc, 'groq qwen/qwen3.6-27b', 'high', { reasoning_effort: 'default' }],
    [oc, 'baseten zai-org/GLM-5.2', 'high', { chat_template_args: expect.anything() }],
    [oc, 'together MiniMaxAI/MiniMax-M3', 'high', { reasoning: { enabled: true } }],
    [mi, 'mistral deepseek-v4-1-flash-1017', 'off', { reasoning_effort: 'none' }],
    [mi, 'mistral deepseek-v4-1-flash-1017', 'max', { reasoning_effort: 'max' }],
  ])('over %s asks %s for %s', async (wire, place, reasoningEffort, fields) => {
    const { body, failure } = await ask(wire, place, { reasoningEffort })
    expect(failure).toBeUndefined()
    expect(body).toMatchObject(fields)
    expect(Object.keys(body ?? {})).toEqual(expect.arrayContaining(Object.keys(fields)))
  })

  it.each(['low', 'medium', 'high', 'xhigh'])(
    'does not drop the listed level %s of a Gemini model in silence',
    async (reasoningEffort) => {
      const { body, failure } = await ask(go, 'google gemini-4-hydrogen', { reasoningEffort })
      if (failure !== undefined) expect(failure.code).toBe('UNSUPPORTED_REASONING_EFFORT')
      else expect(body).toMatchObject(google({ thinkingLevel: expect.any(String) }))
    },
  )

  it.each<[WireName, string]>([
    [an, 'anthropic claude-opus-4-6'],
    [an, 'anthropic claude-fable-5-1'],
    [an, 'anthropic claude-fable-5'],
    [an, 'anthropic claude-haiku-5-5'],
    [an, 'anthropic claude-haiku-4-5'],
    [or, 'openai gpt-5.4'],
    [oc, 'deepseek deepseek-flash'],
    [oc, 'openrouter ~deepseek/deepseek-flash-latest'],
    [oc, 'zai glm-5.2'],
    [oc, 'qwen-token-plan kimi-k2.5'],
    [oc, 'groq qwen/qwen3.6-27b'],
    [oc, 'baseten zai-org/GLM-5.2'],
    [oc, 'together MiniMaxAI/MiniMax-M3'],
    [mi, 'mistral deepseek-v4-1-flash-1017'],
  ])('over %s says nothing to %s where no effort was asked for', async (wire, place) => {
    const { body } = await ask(wire, place)
    expect(body).toEqual({})
  })

  it.each(['google gemini-3-flash-preview', 'google gemini-2.5-flash'])(
    'says nothing to %s where no effort was asked for',
    async (place) => {
      expect((await ask(go, place)).body).toEqual({ generationConfig: {} })
    },
  )

  it.each<[WireName, string, string]>([
    [an, 'anthropic claude-opus-4-6', 'xhigh'],
    [an, 'anthropic claude-fable-5', 'off'],
    [or, 'openai gpt-5.4', 'minimal'],
    [or, 'openai gpt-5', 'off'],
    [go, 'google gemini-3-flash-preview', 'max'],
    [oc, 'deepseek deepseek-flash', 'medium'],
    [oc, 'qwen-token-plan qwen3.8-flash', 'high'],
    [an, 'anthropic claude-opus-4-6', 'enormous'],
  ])('over %s refuses for %s the effort %s before anything is sent', async (wire, place, reasoningEffort) => {
    const { body, failure } = await ask(wire, place, { reasoningEffort })
    expect(failure?.code).toBe('UNSUPPORTED_REASONING_EFFORT')
    expect(body).toBeUndefined()
  })
})

/** The server is told, or the caller is. */
async function expectTold(set: Stage, options: Partial<GenerateOptions>, word: string): Promise<void> {
  const messages = [createUserMessage('hi')]
  const { finish } = await set.llm.generate({ provider: 'route', model: 'm1', messages, ...options })
  if (finish.reason.kind === 'error')
    expect(finish.reason.failure.code).toMatch(/^UNSUPPORTED_|^INVALID_REQUEST$/)
  else expect(set.server.requests[0]?.body).toContain(word)
}

describe('effort: declared models', () => {
  const providerOptions = { piAi: { thinkingBudgetTokens: 1234 } }
  const declared = (wire: WireName, efforts?: readonly string[]) =>
    stage({ wire, config: { models: [{ id: 'm1', reasoning: true, maxTokens: 64_000, efforts }] } })

  it.each([an, go, mi] as const)('over %s refuses an effort that has no meaning there', async (wire) => {
    await using set = await declared(wire, ['turbo'])
    expect((await set.failure({ reasoningEffort: 'turbo' })).code).toBe('UNSUPPORTED_REASONING_EFFORT')
    expect(set.server.requests).toHaveLength(0)
  })

  it.each([oc, or] as const)('over %s passes the words of the server on', async (wire) => {
    await using set = await declared(wire, ['turbo'])
    expect(JSON.stringify(await set.body({ reasoningEffort: 'turbo' }))).toContain('turbo')
  })

  it.each([oc, or] as const)('over %s does not keep silent where thinking is to be off', async (wire) => {
    await using set = await declared(wire, ['off', 'high'])
    await expectTold(set, { reasoningEffort: 'off' }, 'none')
  })

  it.each([
    [an, { thinking: { budget_tokens: 1234 } }],
    [go, { generationConfig: { thinkingConfig: { thinkingBudget: 1234 } } }],
  ] as const)('over %s takes thinkingBudgetTokens in place of its own amount', async (wire, fields) => {
    await using set = await declared(wire)
    expect(await set.body({ reasoningEffort: 'high', providerOptions })).toMatchObject(fields)
  })

  it.each([oc, or, mi] as const)('over %s does not drop thinkingBudgetTokens in silence', async (wire) => {
    await using set = await declared(wire)
    await expectTold(set, { reasoningEffort: 'high', providerOptions }, '1234')
  })

  it.each([an, go] as const)(
    'over %s does not drop thinkingBudgetTokens where no effort is named',
    async (wire) => {
      await using set = await declared(wire)
      await expectTold(set, { providerOptions }, '1234')
    },
  )

  it('keeps the budget of Anthropic below the bound of the answer', async () => {
    await using set = await declared(an)
    const body = await set.body({ reasoningEffort: 'high', maxTokens: 8000 })
    expect(body).toMatchObject({ max_tokens: 8000, thinking: { type: 'enabled' } })
    const thinking = Object(body['thinking'])
    expect(thinking.budget_tokens).toBeLessThan(8000)
    expect(thinking.budget_tokens).toBeGreaterThanOrEqual(1024)
  })

  it('refuses a temperature that goes with no thinking', async () => {
    await using set = await declared(an)
    expect((await set.failure({ reasoningEffort: 'high', temperature: 0.5 })).code).toBe('UNSUPPORTED_OPTION')
    expect(set.server.requests).toHaveLength(0)
  })

  it.each<[WireName, Partial<GenerateOptions>]>([
    [an, { providerOptions, temperature: 0.5 }],
    [an, { providerOptions, toolChoice: 'required', tools: [look] }],
    [an, { providerOptions, reasoningEffort: 'off' }],
    [go, { providerOptions, reasoningEffort: 'off' }],
  ])('over %s refuses what does not go with thinkingBudgetTokens: %j', async (wire, options) => {
    await using set = await declared(wire)
    expect((await set.failure(options)).code).toBe('UNSUPPORTED_OPTION')
    expect(set.server.requests).toHaveLength(0)
  })

  it.each([
    [an, { thinking: { budget_tokens: 1234 } }],
    [go, { generationConfig: { thinkingConfig: { thinkingBudget: 1234 } } }],
  ] as const)(
    'over %s sends thinkingBudgetTokens also to a model that is not known to think',
    async (wire, fields) => {
      await using set = await stage({ wire, config: { models: [{ id: 'm1', maxTokens: 64_000 }] } })
      expect(await set.body({ providerOptions })).toMatchObject(fields)
    },
  )

  it('names the efforts that there are', async () => {
    await using set = await stage({ wire: go })
    expect((await set.failure({ reasoningEffort: 'max' })).message).toMatch(
      /use off, minimal, low, medium, high$/,
    )
  })

  it('sends a temperature where thinking is off', async () => {
    await using set = await declared(an)
    const body = await set.body({ reasoningEffort: 'off', temperature: 0.5 })
    expect(body).toMatchObject({ temperature: 0.5, ...disabled })
  })
})

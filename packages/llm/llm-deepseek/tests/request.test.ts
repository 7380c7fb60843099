import { createAssistantMessage, createUserMessage, type GenerateOptions } from 'dsh-llm'
import { describe, expect, it } from 'vitest'
import { toBetaBaseUrl } from '../src/base-url.ts'
import { clock, deepSeekAnswer, question, stage } from './deepseek-kit.ts'

/** What arrives at the server, or the failure that kept it from leaving. */
async function send(options: Partial<GenerateOptions>) {
  await using set = await stage([deepSeekAnswer({ text: 'ok' })])
  const { finish } = await set.llm.generate(question(options))
  const [received] = set.server.requests
  const { model, messages, stream, stream_options, ...asked } = Object(received?.json)
  const failure = finish.reason.kind === 'error' ? finish.reason.failure : undefined
  return { path: received?.path, asked, failure, fixed: { model, messages, stream, stream_options } }
}

const prefixed = [
  createUserMessage('Tell'),
  createAssistantMessage({
    content: [{ type: 'text', text: 'Once' }],
    source: { kind: 'plugin', plugin: 'test' },
  }),
]

describe('deepseek: requests', () => {
  it('asks for nothing but a streamed answer with usage', async () => {
    const { path, asked, fixed } = await send({})
    expect(path).toBe('/chat/completions')
    expect(asked).toEqual({})
    expect(fixed).toEqual({
      model: 'deepseek-flash',
      messages: [{ role: 'user', content: 'hi' }],
      stream: true,
      stream_options: { include_usage: true },
    })
  })

  it.each<[string, Partial<GenerateOptions>, object]>([
    ['effort off', { reasoningEffort: 'off' }, { thinking: { type: 'disabled' } }],
    ['effort low', { reasoningEffort: 'low' }, { thinking: { type: 'enabled' }, reasoning_effort: 'low' }],
    ['effort max', { reasoningEffort: 'max' }, { thinking: { type: 'enabled' }, reasoning_effort: 'max' }],
    ['JSON mode', { responseFormat: { type: 'json' } }, { response_format: { type: 'json_object' } }],
    ['the largest limit', { maxTokens: 393_216 }, { max_tokens: 393_216 }],
    ['a user id', { providerOptions: { deepseek: { userId: 'team-7' } } }, { user_id: 'team-7' }],
    ['thinking', { providerOptions: { deepseek: { thinking: 'enabled' } } }, { thinking: { type: 'enabled' } }],
    [
      'thinking that repeats the effort',
      { reasoningEffort: 'high', providerOptions: { deepseek: { thinking: 'enabled' } } },
      { thinking: { type: 'enabled' }, reasoning_effort: 'high' },
    ],
    [
      'a forced call with thinking off by option',
      { tools: [clock], toolChoice: 'required', providerOptions: { deepseek: { thinking: 'disabled' } } },
      {
        tools: [{ type: 'function', function: clock }],
        tool_choice: 'required',
        thinking: { type: 'disabled' },
      },
    ],
  ])('sends %s', async (_what, options, expected) => {
    const { asked, failure } = await send(options)
    expect(failure).toBeUndefined()
    expect(asked).toEqual(expected)
  })

  it('sends strict tools and answer prefixes to the beta endpoint', async () => {
    const strict = await send({ tools: [clock], providerOptions: { deepseek: { strictTools: true } } })
    expect(strict.path).toBe('/beta/chat/completions')
    expect(strict.asked).toEqual({ tools: [{ type: 'function', function: { ...clock, strict: true } }] })
    const prefix = await send({ messages: prefixed, providerOptions: { deepseek: { prefix: true } } })
    expect(prefix.path).toBe('/beta/chat/completions')
    expect(prefix.fixed.messages.at(-1)).toEqual({
      role: 'assistant',
      content: 'Once',
      reasoning_content: '',
      prefix: true,
    })
  })

  it('stays on the stable endpoint where strictness has nothing to hold', async () => {
    expect((await send({ providerOptions: { deepseek: { strictTools: true } } })).path).toBe(
      '/chat/completions',
    )
  })

  it.each<[string, Partial<GenerateOptions>, string, string]>([
    ['an unknown effort', { reasoningEffort: 'medium' }, 'UNSUPPORTED_REASONING_EFFORT', 'medium'],
    [
      'an unknown effort of an unknown model',
      { model: 'x', reasoningEffort: 'xhigh' },
      'UNSUPPORTED_REASONING_EFFORT',
      'xhigh',
    ],
    ['a seed', { seed: 1 }, 'UNSUPPORTED_OPTION', 'seed'],
    ['a schema', { responseFormat: { type: 'json', schema: {} } }, 'UNSUPPORTED_OPTION', 'tool'],
    ['too many tokens', { maxTokens: 393_217 }, 'INVALID_REQUEST', '393216'],
    [
      'a forced call while thinking',
      { tools: [clock], toolChoice: { name: 'clock' } },
      'INVALID_REQUEST',
      '"off"',
    ],
    [
      'a prefix without an assistant message',
      { providerOptions: { deepseek: { prefix: true } } },
      'INVALID_REQUEST',
      'last message',
    ],
    [
      'a user id with a space',
      { providerOptions: { deepseek: { userId: 'John Doe' } } },
      'INVALID_REQUEST',
      'userId',
    ],
    [
      'thinking against the effort',
      { reasoningEffort: 'off', providerOptions: { deepseek: { thinking: 'enabled' } } },
      'INVALID_REQUEST',
      'thinking',
    ],
    [
      'an unknown option',
      { providerOptions: { deepseek: { user_id: 'x' } as object } },
      'INVALID_REQUEST',
      '"user_id"',
    ],
  ])('refuses %s before any request', async (_what, options, code, hint) => {
    const { path, failure } = await send(options)
    expect(failure).toMatchObject({ code, message: expect.stringContaining(hint) })
    expect(failure?.message).not.toContain('John')
    expect(path).toBeUndefined()
  })

  it('ignores options of other families', async () => {
    const providerOptions = { openaiCompatible: { extraBody: { top_k: 1 } } }
    expect((await send({ providerOptions })).asked).toEqual({})
  })
})

describe('toBetaBaseUrl', () => {
  it.each([
    ['https://api.deepseek.com', 'https://api.deepseek.com/beta'],
    ['https://api.deepseek.com/', 'https://api.deepseek.com/beta'],
    ['https://api.deepseek.com/v1', 'https://api.deepseek.com/beta'],
    ['https://api.deepseek.com/beta', 'https://api.deepseek.com/beta'],
    ['https://proxy.example/ds/v1/chat/completions?tenant=1', 'https://proxy.example/ds/beta?tenant=1'],
  ])('finds it beside %s', (baseURL, expected) => {
    expect(toBetaBaseUrl(baseURL)).toBe(expected)
  })
})

import { createLlm, createUserMessage, type LlmRuntime, use } from 'dsh-llm'
import { type Answer, namedSseFrames, sseFrames, startProviderServer } from 'dsh-llm-testkit'
import { describe, expect, it } from 'vitest'
import piAi, { type ApiName } from '../src/index.ts'

type Outcome = Awaited<ReturnType<LlmRuntime['generate']>>

const basePaths: Partial<Record<ApiName, string>> = {
  'openai-completions': '/v1',
  'openai-responses': '/v1',
  'google-generative-ai': '/v1beta',
}

async function ask(api: ApiName, answer: Answer): Promise<Outcome> {
  await using server = await startProviderServer({ script: [answer] })
  const route = { api, baseURL: server.url + (basePaths[api] ?? ''), apiKey: 'k' }
  await using host = await createLlm({ plugins: [use(piAi, { providers: { route } })] })
  return await host.llm.generate({ provider: 'route', model: 'm', messages: [createUserMessage('Hi')] })
}

/** Blocks as type and text, and how it ended. */
function summaryOf({ message, partial, finish, usage }: Outcome & { partial?: unknown }): object {
  const content = (message?.content ?? []).map((block) => {
    if (block.type === 'tool-call') return `${block.name}(${block.arguments})`
    return 'text' in block ? `${block.type}: ${block.text}` : block.type
  })
  return { content, end: finish.failure?.code ?? finish.kind, usage, partial }
}

const event = (type: string, more: object) => ({ type, ...more })

describe('answers of Chat Completions servers that pi-ai would spoil', () => {
  const delta = (fields: object, finish: string | null = null, index = 0) => ({
    choices: [{ index, delta: fields, finish_reason: finish }],
  })
  const chat = (...frames: readonly object[]): Answer => ({ chunks: sseFrames(frames) })
  const call = (fields: object, id?: string) => delta({ tool_calls: [{ index: 0, id, function: fields }] })

  it.each<[string, Answer, object]>([
    [
      'a break between thoughts is a piece like any',
      chat(
        delta({ reasoning_content: 'a' }),
        delta({ reasoning_content: '\n\n' }),
        delta({ content: 'b' }),
        delta({}, 'stop'),
      ),
      { content: ['reasoning: a\n\n', 'text: b'], end: 'stop' },
    ],
    [
      'thinking goes on behind text',
      chat(
        ...['a', '\n\n'].map((text) => delta({ reasoning_content: text })),
        delta({ content: 'x' }),
        delta({ reasoning_content: 'bc' }),
        delta({}, 'stop'),
      ),
      { content: ['reasoning: a\n\n', 'text: x', 'reasoning: bc'], end: 'stop' },
    ],
    [
      'a finish reason of another API is understood',
      chat(delta({ content: 'a' }), delta({}, 'max_tokens')),
      { end: 'max-tokens' },
    ],
    [
      'another choice',
      chat(delta({ content: 'no' }, null, 1), delta({ content: 'a' }), delta({}, 'stop')),
      { end: 'MALFORMED_RESPONSE' },
    ],
    [
      'a name in pieces',
      chat(call({ name: 'lo' }, 'c'), call({ name: 'ok' }), call({ arguments: '{}' }), delta({}, 'tool_calls')),
      { end: 'MALFORMED_RESPONSE' },
    ],
    [
      'a text in parts',
      chat(delta({ content: [{ type: 'text', text: 'hi' }] }), delta({}, 'stop')),
      { content: ['text: hi'] },
    ],
    [
      'arguments as an object',
      chat(call({ name: 'f', arguments: { a: 1 } }, 'c'), delta({}, 'tool_calls')),
      { content: ['f({"a":1})'], end: 'tool-calls' },
    ],
    [
      'a cut behind the finish',
      { chunks: sseFrames([delta({ content: 'a' }), delta({}, 'stop')], { done: false }), end: 'cut' },
      { content: ['text: a'], end: 'stop' },
    ],
    [
      'a cut before it',
      { chunks: sseFrames([delta({ content: 'a' })], { done: false }), end: 'cut' },
      { end: 'TRANSPORT' },
    ],
    ['a frame that is no JSON', { chunks: ['data: {,\n\n'] }, { end: 'MALFORMED_RESPONSE' }],
    ['a frame that is cut', { chunks: ['data: {"choices":[{"in'] }, { end: 'STREAM_CLOSED' }],
  ])('%s', async (_name, answer, expected) => {
    expect(summaryOf(await ask('openai-completions', answer))).toMatchObject(expected)
  })
})

describe('answers of OpenAI Responses that pi-ai would spoil', () => {
  const item = (state: string, args: string | undefined) =>
    event(`response.output_item.${state}`, {
      output_index: 0,
      item: { type: 'function_call', id: 'fc_1', call_id: 'call_1', name: 'f', arguments: args },
    })
  const piece = (text: string) =>
    event('response.function_call_arguments.delta', { output_index: 0, item_id: 'fc_1', delta: text })
  const completed = event('response.completed', {
    response: {
      id: 'r',
      status: 'completed',
      usage: { input_tokens: 9, output_tokens: 3, input_tokens_details: { cached_tokens: null } },
    },
  })
  const created = event('response.created', { response: { id: 'r', status: 'in_progress' } })
  const say = (...events: readonly { type: string }[]): Answer => ({
    chunks: namedSseFrames([created, ...events]),
  })

  it.each<[string, Answer, object]>([
    [
      'arguments are whole only when the item is done',
      say(item('added', ''), piece('{"a"'), item('done', '{"a":1}'), completed),
      { content: ['f({"a":1})'], end: 'tool-calls' },
    ],
    [
      'arguments begin with the item',
      say(item('added', '{"a"'), piece(':1}'), item('done', '{"a":1}'), completed),
      { content: ['f({"a":1})'], end: 'tool-calls' },
    ],
    [
      'arguments come with the end alone, letter by letter',
      say(item('added', ''), item('done', '{"a": 1.0}'), completed),
      { content: ['f({"a": 1.0})'], end: 'tool-calls' },
    ],
    [
      'arguments are told in two ways',
      say(item('added', ''), piece('{"a":1}'), item('done', '{"a":2}'), completed),
      { end: 'MALFORMED_RESPONSE' },
    ],
    ['arguments never become JSON', say(item('added', ''), piece('{"a":'), completed), { content: [] }],
    [
      'an error without a holder keeps its code',
      say(event('error', { code: 'rate_limit_exceeded', message: 'slow', param: null })),
      { end: 'RATE_LIMIT' },
    ],
    [
      'counts that are null are unknown',
      say(
        event('response.output_item.added', {
          output_index: 0,
          item: { type: 'message', id: 'm', content: [] },
        }),
        event('response.output_text.delta', { output_index: 0, content_index: 0, item_id: 'm', delta: 'a' }),
        completed,
      ),
      { usage: { inputTokens: 9, outputTokens: 3 } },
    ],
    [
      'a failed answer has its counts',
      say(
        event('response.failed', {
          response: {
            id: 'r',
            status: 'failed',
            error: { code: 'server_error', message: 'x' },
            usage: { input_tokens: 9, output_tokens: 3 },
          },
        }),
      ),
      { end: 'SERVER', usage: { inputTokens: 9, outputTokens: 3 } },
    ],
  ])('%s', async (_name, answer, expected) => {
    expect(summaryOf(await ask('openai-responses', answer))).toMatchObject(expected)
  })
})

describe('answers of Anthropic that pi-ai would spoil', () => {
  const start = event('message_start', {
    message: {
      id: 'm',
      type: 'message',
      role: 'assistant',
      model: 'm',
      content: [],
      usage: { input_tokens: 5, output_tokens: 1 },
    },
  })
  const begin = (block: object, index = 0) => event('content_block_start', { index, content_block: block })
  const piece = (fields: object, index = 0) => event('content_block_delta', { index, delta: fields })
  const stop = (index = 0) => event('content_block_stop', { index })
  const end = (reason: string) => [
    event('message_delta', { delta: { stop_reason: reason }, usage: { output_tokens: 7 } }),
    event('message_stop', {}),
  ]
  const say = (...events: readonly { type: string }[]): Answer => ({
    chunks: namedSseFrames(events),
  })
  const text = [begin({ type: 'text', text: '' }), piece({ type: 'text_delta', text: 'a' }), stop()]

  it.each<[string, Answer, object]>([
    [
      'a call begins with its whole input',
      say(start, begin({ type: 'tool_use', id: 'c', name: 'f', input: { a: 1 } }), stop(), ...end('tool_use')),
      { content: ['f({"a":1})'], end: 'tool-calls' },
    ],
    [
      'a text begins with its first piece',
      say(
        start,
        begin({ type: 'text', text: 'Hel' }),
        piece({ type: 'text_delta', text: 'lo' }),
        stop(),
        ...end('end_turn'),
      ),
      { content: ['text: Hello'], end: 'stop' },
    ],
    [
      'a second answer begins within the first',
      say(start, ...text, start, ...text, ...end('end_turn')),
      { end: 'MALFORMED_RESPONSE' },
    ],
    [
      'a thought ends with a break',
      say(
        start,
        begin({ type: 'thinking', thinking: '' }),
        piece({ type: 'thinking_delta', thinking: 'a' }),
        piece({ type: 'thinking_delta', thinking: '\n\n' }),
        ...end('end_turn'),
      ),
      { content: ['reasoning: a\n\n'] },
    ],
    [
      'a cut comes behind the stop reason',
      { ...say(start, ...text, ...end('end_turn').slice(0, 1)), end: 'cut' },
      { content: ['text: a'], end: 'stop' },
    ],
    [
      'a turn is only paused',
      say(start, ...text, ...end('pause_turn')),
      { content: ['text: a'], end: 'stop', usage: { inputTokens: 5, outputTokens: 7 } },
    ],
    [
      'the window of the model is full',
      say(start, ...text, ...end('model_context_window_exceeded')),
      { end: 'CONTEXT_WINDOW_EXCEEDED', usage: { inputTokens: 5, outputTokens: 7 } },
    ],
    [
      'a text that is null',
      say(
        start,
        begin({ type: 'text', text: '' }),
        piece({ type: 'text_delta', text: null }),
        piece({ type: 'text_delta', text: 'a' }),
        stop(),
        ...end('end_turn'),
      ),
      { end: 'stop' },
    ],
    [
      'a call without an id',
      say(
        start,
        begin({ type: 'tool_use', name: 'f', input: {} }),
        piece({ type: 'input_json_delta', partial_json: '{}' }),
        stop(),
        ...end('tool_use'),
      ),
      { content: ['f({})'], end: 'tool-calls' },
    ],
  ])('%s', async (_name, answer, expected) => {
    expect(summaryOf(await ask('anthropic-messages', answer))).toMatchObject(expected)
  })
})

describe('answers of Google that pi-ai would spoil', () => {
  const chunk = (parts: readonly object[], more: object = {}, usage: object = {}) => ({
    candidates: [{ content: { role: 'model', parts }, index: 0, ...more }],
    usageMetadata: usage,
  })
  const say = (frames: readonly object[], more: Partial<Answer> = {}): Answer => ({
    chunks: sseFrames(frames, { done: false, eol: '\r\n' }),
    ...more,
  })

  it.each<[string, Answer, object]>([
    [
      'a cut comes behind the finish reason',
      say([chunk([{ text: 'a' }], { finishReason: 'STOP' })], { end: 'cut' }),
      { content: ['text: a'], end: 'stop' },
    ],
    [
      'the last event has no blank line',
      { chunks: [`data: ${JSON.stringify(chunk([{ text: 'a' }], { finishReason: 'STOP' }))}\n`] },
      { content: ['text: a'], end: 'stop' },
    ],
    [
      'counts are kept apart',
      say([
        chunk([{ text: 'b', thought: true }], {}, { promptTokenCount: 5, thoughtsTokenCount: 4 }),
        chunk(
          [{ text: 'a' }],
          { finishReason: 'STOP' },
          {
            promptTokenCount: 5,
            candidatesTokenCount: 2,
            toolUsePromptTokenCount: 20,
            cachedContentTokenCount: 9,
          },
        ),
      ]),
      { usage: { inputTokens: 16, outputTokens: 6, cacheReadTokens: 9, reasoningTokens: 4 } },
    ],
  ])('%s', async (_name, answer, expected) => {
    expect(summaryOf(await ask('google-generative-ai', answer))).toMatchObject(expected)
  })
})

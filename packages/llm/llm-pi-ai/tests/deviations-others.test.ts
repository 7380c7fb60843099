import { type Answer, anthropicMessages, cutEvery, namedSseFrames, sseFrames } from 'dsh-llm-testkit'
import { describe, expect, it } from 'vitest'
import { ask, event, summaryOf } from './support/ask-wire.ts'

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
      'two calls of one id begin with their input, every digit of it',
      {
        chunks: namedSseFrames([
          start,
          begin({ type: 'tool_use', id: 'c', name: 'f', input: { a: 1 } }),
          stop(),
          begin({ type: 'tool_use', id: 'c', name: 'f', input: { a: 'DIGITS' } }, 1),
          stop(1),
          ...end('tool_use'),
        ]).map((frame) => frame.replace('"DIGITS"', '12345678901234567890')),
      },
      { content: ['f({"a":1})', 'f({"a":12345678901234567890})'], end: 'tool-calls' },
    ],
    [
      'the finish reason is no text',
      say(
        start,
        ...text,
        event('message_delta', { delta: { stop_reason: { a: 1 } }, usage: { output_tokens: 7 } }),
        event('message_stop', {}),
      ),
      { end: 'MALFORMED_RESPONSE' },
    ],
    [
      'hidden thinking is no text',
      say(start, ...text, begin({ type: 'redacted_thinking', data: 5 }, 1), stop(1), ...end('end_turn')),
      { content: ['text: a'], end: 'stop' },
    ],
    [
      'an input is told again in other spacing',
      say(
        start,
        begin({ type: 'tool_use', id: 'c', name: 'f', input: { a: 1 } }),
        piece({ type: 'input_json_delta', partial_json: '{"a": 1}' }),
        stop(),
        ...end('tool_use'),
      ),
      { content: ['f({"a": 1})'], end: 'tool-calls' },
    ],
    [
      'lines end in two characters, cut between them',
      { chunks: cutEvery(anthropicMessages({ text: ['Hel', 'lo'] }, { eol: '\r\n' }).join(''), 1) },
      { content: ['text: Hello'], end: 'stop' },
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
      'the last event ends within its blank line',
      { chunks: [`data: ${JSON.stringify(chunk([{ text: 'a' }], { finishReason: 'STOP' }))}\r\n\r`] },
      { content: ['text: a'], end: 'stop' },
    ],
    [
      'a finish reason is no text',
      say([chunk([{ text: 'a' }], { finishReason: 7 })]),
      { end: 'MALFORMED_RESPONSE' },
    ],
    [
      'another candidate',
      say([chunk([{ text: 'a' }], { index: 1 }), chunk([{ text: 'b' }], { finishReason: 'STOP' })]),
      { end: 'MALFORMED_RESPONSE' },
    ],
    [
      'an error without a number between text and end',
      say([
        chunk([{ text: 'a' }]),
        { error: { message: 'busy', status: 'UNAVAILABLE' } },
        chunk([], { finishReason: 'STOP' }),
      ]),
      { end: 'OVERLOADED' },
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

describe('answers of Mistral that pi-ai would spoil', () => {
  const chat = (index: number, content: string, finish: string | null = null): object => ({
    choices: [{ index, delta: { content }, finish_reason: finish }],
  })

  it.each<[string, Answer, object]>([
    [
      'a cut comes behind the finish',
      { chunks: sseFrames([chat(0, 'a'), chat(0, '', 'stop')], { done: false }), end: 'cut' },
      { content: ['text: a'], end: 'stop' },
    ],
    [
      'a finish reason is no text',
      { chunks: sseFrames([chat(0, 'a', 5 as never)]) },
      { end: 'MALFORMED_RESPONSE' },
    ],
    [
      'another choice',
      { chunks: sseFrames([chat(1, 'no'), chat(0, 'a', 'stop')]) },
      { end: 'MALFORMED_RESPONSE' },
    ],
  ])('%s', async (_name, answer, expected) => {
    expect(summaryOf(await ask('mistral-conversations', answer))).toMatchObject(expected)
  })
})

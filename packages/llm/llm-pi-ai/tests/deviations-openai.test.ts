import { type Answer, namedSseFrames, sseFrames } from 'dsh-llm-testkit'
import { describe, expect, it } from 'vitest'
import { ask, event, summaryOf } from './support/ask-wire.ts'

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
    [
      'an item is told twice',
      say(item('added', ''), item('done', '{}'), item('done', '{}'), completed),
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

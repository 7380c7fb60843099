import { describe, expect, it } from 'vitest'
import { createDialect } from '../src/dialect.ts'
import { dialects } from '../src/dialects.ts'
import { serialize } from '../src/serialize.ts'
import { assistant, call, failureOf, requestOf, text, tool, user } from './support/serialize-kit.ts'

const { azure, deepseek, generic, groq, mistral, moonshot, openai, openrouter, qwen } = dialects
const ask = [user('a')]
const clock = { tools: [tool('clock')] }

describe('serialize: fields', () => {
  it('sends nothing that nobody asked for', () => {
    expect(serialize(requestOf(ask), generic)).toEqual({
      model: 'm',
      messages: [{ role: 'user', content: 'a' }],
      stream: true,
      stream_options: { include_usage: true },
    })
  })

  it('does not ask for usage where the field is refused', () => {
    const strict = createDialect({ name: 'strict', request: { asksForUsage: false } })
    expect(serialize(requestOf(ask), strict)).not.toHaveProperty('stream_options')
    expect(serialize(requestOf(ask), mistral)).not.toHaveProperty('stream_options')
  })

  it.each([
    [openai, 'max_completion_tokens'],
    [azure, 'max_completion_tokens'],
    [groq, 'max_completion_tokens'],
    [deepseek, 'max_tokens'],
    [mistral, 'max_tokens'],
    [generic, 'max_tokens'],
  ] as const)('uses one name for the token limit', (dialect, field) => {
    const body = serialize(requestOf(ask, { maxTokens: 100 }), dialect)
    expect(Object.entries(body).filter(([name]) => name.includes('tokens'))).toEqual([[field, 100]])
  })

  it.each([
    ['temperature, zero included', { temperature: 0 }, generic, { temperature: 0 }],
    ['top p', { topP: 0.5 }, generic, { top_p: 0.5 }],
    ['a seed', { seed: 7 }, generic, { seed: 7 }],
    ['a seed under another name', { seed: 7 }, mistral, { random_seed: 7 }],
    ['stop texts', { stop: ['x'] }, generic, { stop: ['x'] }],
    ['effort', { reasoningEffort: 'low' }, generic, { reasoning_effort: 'low' }],
    ['no effort', { reasoningEffort: 'off' }, generic, { reasoning_effort: 'none' }],
    [
      'effort',
      { reasoningEffort: 'max' },
      deepseek,
      { thinking: { type: 'enabled' }, reasoning_effort: 'max' },
    ],
    ['no effort', { reasoningEffort: 'off' }, deepseek, { thinking: { type: 'disabled' } }],
    ['effort', { reasoningEffort: 'high' }, openrouter, { reasoning: { effort: 'high' } }],
    ['no effort', { reasoningEffort: 'off' }, openrouter, { reasoning: { enabled: false } }],
    ['no effort', { reasoningEffort: 'off' }, qwen, { enable_thinking: false }],
    ['effort', { reasoningEffort: 'low' }, qwen, { enable_thinking: true, reasoning_effort: 'low' }],
    ['no effort', { reasoningEffort: 'off' }, moonshot, { thinking: { type: 'disabled' } }],
  ])('writes %s', (_what, options, dialect, fields) => {
    const {
      model: _model,
      messages: _messages,
      stream: _stream,
      stream_options: _usage,
      ...rest
    } = serialize(requestOf(ask, options), dialect)
    expect(rest).toEqual(fields)
  })

  it('treats an empty list of stop texts or tools as absent', () => {
    const body = serialize(requestOf(ask, { stop: [], tools: [], toolChoice: 'none' }), generic)
    expect(Object.keys(body)).toEqual(['model', 'messages', 'stream', 'stream_options'])
  })

  it.each([
    ['too many stop texts', { stop: ['1', '2', '3', '4', '5'] }, openai, 'INVALID_REQUEST', 'at most 4'],
    ['a seed', { seed: 1 }, deepseek, 'UNSUPPORTED_OPTION', 'seed'],
    ['a schema', { responseFormat: { type: 'json', schema: {} } }, deepseek, 'UNSUPPORTED_OPTION', 'schema'],
    ['a forced call', { ...clock, toolChoice: 'required' }, deepseek, 'INVALID_REQUEST', 'thinking'],
    ['a named call', { ...clock, toolChoice: { name: 'clock' } }, deepseek, 'INVALID_REQUEST', '"off"'],
    ['a forced call', { ...clock, toolChoice: 'required' }, qwen, 'INVALID_REQUEST', 'required'],
    ['a call without tools', { toolChoice: 'required' }, generic, 'INVALID_REQUEST', 'no tools'],
    ['a call of a missing tool', { ...clock, toolChoice: { name: 'x' } }, generic, 'INVALID_REQUEST', '"x"'],
    ['two tools of one name', { tools: [tool('t'), tool('t')] }, generic, 'INVALID_REQUEST', '"t"'],
    [
      '129 tools',
      { tools: Array.from({ length: 129 }, (_, at) => tool(`t${at}`)) },
      deepseek,
      'INVALID_REQUEST',
      '128',
    ],
  ] as const)('refuses %s the server would refuse', (_what, options, dialect, code, hint) => {
    const failure = failureOf(() => serialize(requestOf(ask, options), dialect))
    expect(failure).toMatchObject({ code, message: expect.stringContaining(hint) })
  })
})

describe('serialize: tools and formats', () => {
  it('lists tools in the caller order and spells the choice', () => {
    const options = { tools: [tool('b'), tool('a')], toolChoice: { name: 'a' } } as const
    const body = serialize(requestOf(ask, options), generic)
    expect(body).toMatchObject({
      tools: [
        { type: 'function', function: { name: 'b' } },
        { type: 'function', function: tool('a') },
      ],
      tool_choice: { type: 'function', function: { name: 'a' } },
    })
    expect(JSON.stringify(body)).not.toContain('strict')
  })

  it.each([
    ['required', generic, 'required'],
    ['required', mistral, 'any'],
    ['auto', mistral, 'auto'],
    ['none', deepseek, 'none'],
  ] as const)('spells the choice %s', (toolChoice, dialect, expected) => {
    expect(serialize(requestOf(ask, { ...clock, toolChoice }), dialect)).toHaveProperty('tool_choice', expected)
  })

  it('allows a forced call on DeepSeek with thinking off', () => {
    const options = { ...clock, toolChoice: 'required', reasoningEffort: 'off' } as const
    expect(serialize(requestOf(ask, options), deepseek)).toHaveProperty('tool_choice', 'required')
  })

  it.each([
    [{ type: 'text' }, generic, { type: 'text' }],
    [{ type: 'json' }, deepseek, { type: 'json_object' }],
    [
      { type: 'json', schema: { type: 'object' }, name: 'my answer' },
      generic,
      {
        type: 'json_schema',
        json_schema: { name: expect.stringMatching(/^my_answer_\w+$/), schema: { type: 'object' } },
      },
    ],
  ] as const)('writes the answer format', (responseFormat, dialect, expected) => {
    expect(serialize(requestOf(ask, { responseFormat }), dialect)).toHaveProperty('response_format', expected)
  })
})

describe('serialize: provider options', () => {
  const withOptions = (openaiCompatible: object) =>
    requestOf(ask, { ...clock, providerOptions: { openaiCompatible } })

  it('adds extra body fields and strict flags', () => {
    const body = serialize(
      withOptions({ extraBody: { top_k: 5, skipped: undefined }, strictTools: true }),
      generic,
    )
    expect(body).toMatchObject({ top_k: 5, tools: [{ function: { strict: true } }] })
    expect(body).not.toHaveProperty('skipped')
  })

  it('marks a schema strict on request', () => {
    const request = {
      ...withOptions({ strictSchema: true }),
      responseFormat: { type: 'json', schema: {} },
    } as const
    expect(serialize(request, generic)).toMatchObject({ response_format: { json_schema: { strict: true } } })
  })

  it.each([
    ['an unknown key', { extrabody: {} }, generic, 'INVALID_REQUEST', '"extrabody"'],
    ['an owned field', { extraBody: { max_tokens: 1 } }, generic, 'INVALID_REQUEST', '"max_tokens"'],
    [
      'a field that is set already',
      { extraBody: { stream_options: {} } },
      generic,
      'INVALID_REQUEST',
      '"stream_options"',
    ],
    ['a number as name', { extraBody: { 1: true } }, generic, 'INVALID_REQUEST', '"1"'],
    ['a list', [], generic, 'INVALID_REQUEST', 'object'],
    ['strict tools without a strict mode', { strictTools: true }, qwen, 'UNSUPPORTED_OPTION', 'strictTools'],
  ] as const)('refuses %s', (_what, options, dialect, code, hint) => {
    const failure = failureOf(() => serialize(withOptions(options), dialect))
    expect(failure).toMatchObject({ code, message: expect.stringContaining(hint) })
  })

  it('ignores entries of other families', () => {
    const providerOptions = { elsewhere: { any: 1 } } as object
    expect(serialize(requestOf(ask, { providerOptions }), generic)).toEqual(serialize(requestOf(ask), generic))
  })

  it('continues an answer where the server can, and refuses it anywhere else', () => {
    const request = requestOf([user('a'), assistant(text('Once'))])
    const continues = { readProviderOptions: () => ({ continuesAnswer: true }) }
    const on = (name: 'deepseek' | 'moonshot' | 'openai') =>
      createDialect({ name, request: { ...dialects[name].request, ...continues } })
    expect(serialize(request, on('deepseek')).messages.at(-1)).toMatchObject({ content: 'Once', prefix: true })
    expect(serialize(request, on('moonshot')).messages.at(-1)).toMatchObject({ content: 'Once', partial: true })
    expect(failureOf(() => serialize(request, on('openai'))).code).toBe('UNSUPPORTED_OPTION')
    expect(failureOf(() => serialize(requestOf(ask), on('deepseek'))).code).toBe('INVALID_REQUEST')
    const called = requestOf([user('a'), assistant(text('x'), call('c'))])
    expect(failureOf(() => serialize(called, on('deepseek'))).code).toBe('INVALID_REQUEST')
  })
})

import { describe, expect, it } from 'vitest'
import { createDialect } from '../src/dialect.ts'
import { dialects } from '../src/dialects.ts'
import { serialize } from '../src/serialize.ts'
import {
  assistant,
  call,
  failureOf,
  ownAssistant,
  reasoning,
  requestOf,
  result,
  system,
  text,
  user,
} from './support/serialize-kit.ts'

const { deepseek, generic, openai, openrouter, gemini, qwen, vllm } = dialects
const toolTurn = [user('time?'), assistant(reasoning('use clock'), call('call_1')), result('call_1', 'nine')]

describe('serialize: texts', () => {
  it('sends text-only content as one plain string, blocks set apart by a blank line', () => {
    const messages = [user('a', 'b'), assistant(call('c')), result('c', [text('x'), text('y')])]
    const body = serialize(requestOf(messages), deepseek)
    expect(body.messages.map(({ content }) => content)).toEqual(['a\n\nb', '', 'x\n\ny'])
  })

  it('joins the texts of an assistant turn exactly as the wire sent them', () => {
    const body = serialize(
      requestOf([user('a'), assistant(text('one '), reasoning('r'), text('two'))]),
      generic,
    )
    expect(body.messages[1]).toEqual({ role: 'assistant', content: 'one two' })
  })

  it('leaves out an assistant turn that has nothing to say', () => {
    const body = serialize(requestOf([user('a'), assistant(reasoning('only thought')), user('b')]), generic)
    expect(body.messages.map(({ role }) => role)).toEqual(['user', 'user'])
  })

  it('repairs lone surrogates in every text and leaves pairs alone', () => {
    const messages = [
      user('bad \ud83d', '\ud83d\ude00'),
      assistant(call('c', 'clock', '{"a":"\ude00"}')),
      result('c', '\ud800'),
    ]
    const options = {
      system: '\udfff',
      tools: [{ name: 't', description: '\ud800', parameters: { title: '\ud800' } }],
    }
    const body = JSON.stringify(serialize(requestOf(messages, options), generic))
    expect(body).not.toMatch(/\\ud[89a-f]/i)
    expect(body).toContain('😀')
  })

  it('finds a pair that two assistant blocks share', () => {
    const body = serialize(requestOf([user('a'), assistant(text('\ud83d'), text('\ude00'))]), generic)
    expect(body.messages[1]?.content).toBe('😀')
  })
})

describe('serialize: instructions', () => {
  it.each([
    ['openai', openai, 'developer'],
    ['deepseek', deepseek, 'system'],
    ['generic', generic, 'system'],
  ] as const)('gives system text the role %s wants', (_name, dialect, role) => {
    const body = serialize(requestOf([user('a')], { system: 'S' }), dialect)
    expect(body.messages[0]).toEqual({ role, content: 'S' })
  })

  it('keeps the place of a system message inside the history', () => {
    const body = serialize(requestOf([user('a'), system('S2'), user('b')], { system: 'S1' }), generic)
    expect(body.messages.map(({ role, content }) => `${role}:${content}`)).toEqual([
      'system:S1',
      'user:a',
      'system:S2',
      'user:b',
    ])
  })

  it('has one system message at the start and user text behind it where servers insist', () => {
    const body = serialize(
      requestOf([system('S2'), user('a'), system('S3'), user('b')], { system: 'S1' }),
      deepseek,
    )
    expect(body.messages.map(({ role, content }) => `${role}:${content}`)).toEqual([
      'system:S1\n\nS2',
      'user:a',
      'user:S3',
      'user:b',
    ])
  })

  it('holds a system message back until the calls before it are answered', () => {
    const messages = [
      user('a'),
      assistant(call('1'), call('2')),
      result('1', 'x'),
      system('S'),
      result('2', 'y'),
      user('b'),
    ]
    const body = serialize(requestOf(messages), generic)
    expect(body.messages.map(({ role }) => role)).toEqual([
      'user',
      'assistant',
      'tool',
      'tool',
      'system',
      'user',
    ])
  })

  it('joins user turns that follow each other where servers want alternation', () => {
    const messages = [user('a'), user('b'), system('S'), assistant(text('c')), user('d')]
    const body = serialize(requestOf(messages), qwen)
    expect(body.messages.map(({ content }) => content)).toEqual(['a\n\nb\n\nS', 'c', 'd'])
  })
})

describe('serialize: tool turns', () => {
  it('sends a call with its reasoning and its result as a tool message', () => {
    expect(serialize(requestOf(toolTurn), deepseek).messages.slice(1)).toEqual([
      {
        role: 'assistant',
        content: '',
        reasoning_content: 'use clock',
        tool_calls: [{ id: 'call_1', type: 'function', function: { name: 'clock', arguments: '{}' } }],
      },
      { role: 'tool', tool_call_id: 'call_1', content: 'nine' },
    ])
  })

  it('has null content beside calls where the reference has it, and always the key', () => {
    expect(serialize(requestOf(toolTurn), openai).messages[1]).toMatchObject({ content: null })
    expect(serialize(requestOf(toolTurn), generic).messages[1]).toMatchObject({ content: '' })
  })

  it.each([
    ['nothing', generic, '', undefined, '(the tool returned nothing)'],
    ['blanks', deepseek, ' \n', undefined, '(the tool returned nothing)'],
    ['nothing where that is fine', openai, '', undefined, ''],
    ['a failure', generic, 'no such file', true, 'Error: no such file'],
    ['a silent failure', generic, '', true, 'Error: (the tool returned nothing)'],
  ] as const)('writes the output of a tool that returned %s', (_what, dialect, output, isError, content) => {
    const body = serialize(requestOf([user('a'), assistant(call('c')), result('c', output, isError)]), dialect)
    expect(body.messages[2]).toEqual({ role: 'tool', tool_call_id: 'c', content })
  })

  it.each([
    ['blank', ' ', '{}'],
    ['valid with odd spacing', '{ "a":1.0 }', '{ "a":1.0 }'],
    ['cut', '{"path": "x', '{"invalid_arguments":"{\\"path\\": \\"x"}'],
  ])('always sends arguments as JSON: %s', (_what, argumentText, expected) => {
    const body = serialize(
      requestOf([user('a'), assistant(call('c', 'f', argumentText)), result('c', 'r')]),
      generic,
    )
    expect(body.messages[1]).toMatchObject({ tool_calls: [{ function: { arguments: expected } }] })
  })
})

describe('serialize: reasoning echo', () => {
  const plain = assistant(reasoning('why'), text('so'))
  const bare = assistant(text('so'))
  it.each([
    ['deepseek-flash', deepseek, plain, 'why'],
    ['deepseek-flash', deepseek, bare, ''],
    ['deepseek-ai/DeepSeek-R1-0528', deepseek, plain, undefined],
    ['deepseek-r1-distill-qwen-7b', generic, plain, undefined],
    ['deepseek/deepseek-v4-pro', generic, bare, ''],
    ['gpt-demo', generic, plain, undefined],
    ['qwen-plus', qwen, plain, undefined],
    ['qwen-plus', qwen, assistant(reasoning('why'), call('c')), 'why'],
    ['gpt-demo', openai, plain, undefined],
  ])('follows the policy of %s', (model, dialect, message, expected) => {
    const body = serialize(requestOf([user('a'), message], { model }), dialect)
    expect(body.messages[1]).toHaveProperty('role', 'assistant')
    expect(Object.entries(body.messages[1] ?? {}).find(([key]) => key === 'reasoning_content')?.[1]).toBe(
      expected,
    )
  })

  it('keeps the key when the reasoning was empty', () => {
    const body = serialize(
      requestOf([user('a'), assistant(reasoning(''), call('c')), result('c', 'r')]),
      deepseek,
    )
    expect(body.messages[1]).toHaveProperty('reasoning_content', '')
  })

  it('uses the field of the dialect', () => {
    expect(serialize(requestOf(toolTurn), vllm).messages[1]).toHaveProperty('reasoning', 'use clock')
  })

  it('echoes on every turn that has some where a dialect says so', () => {
    const dialect = createDialect({ name: 'mine', request: { reasoningEcho: () => 'when-present' } })
    const body = serialize(requestOf([user('a'), plain, bare]), dialect)
    expect(body.messages.slice(1)).toEqual([
      { role: 'assistant', content: 'so', reasoning_content: 'why' },
      { role: 'assistant', content: 'so' },
    ])
  })
})

describe('serialize: replay state', () => {
  const details = [{ type: 'reasoning.text', text: 'why', signature: 'c2ln', index: 0 }]

  it('sends reasoning details back unchanged to the model that made them', () => {
    const own = ownAssistant({ response: { reasoningDetails: details } }, reasoning('why'), text('so'))
    expect(serialize(requestOf([user('a'), own]), openrouter).messages[1]).toEqual({
      role: 'assistant',
      content: 'so',
      reasoning_details: details,
    })
  })

  it('sends them neither to another model nor to a server that has none', () => {
    const own = ownAssistant({ response: { reasoningDetails: details } }, text('so'))
    const elsewhere = [
      serialize(requestOf([user('a'), own], { model: 'switched' }), openrouter),
      serialize(requestOf([user('a'), own]), openai),
    ]
    for (const body of elsewhere) expect(body.messages[1]).toEqual({ role: 'assistant', content: 'so' })
  })

  it('puts the signature of a call back on that call', () => {
    const extraContent = { google: { thought_signature: 'QUJD' } }
    const own = ownAssistant({ response: {}, blocks: [null, { extraContent }] }, call('1'), call('2'))
    const body = serialize(requestOf([user('a'), own, result('1', 'x'), result('2', 'y')]), gemini)
    expect(body.messages[1]).toMatchObject({
      tool_calls: [{ id: '1' }, { id: '2', extra_content: extraContent }],
    })
    expect(JSON.stringify(body)).not.toContain('skip_thought')
  })

  it('marks the first call of another model where a signature is demanded', () => {
    const body = serialize(
      requestOf([user('a'), assistant(call('1'), call('2')), result('1', 'x'), result('2', 'y')]),
      gemini,
    )
    expect(JSON.stringify(body).split('skip_thought_signature_validator')).toHaveLength(2)
  })
})

describe('serialize: content the wire cannot carry', () => {
  const picture = { type: 'image', url: 'data:' } as unknown as Parameters<typeof assistant>[0]
  it.each([
    ['an unknown block of a user', [user('a'), result('c', 'r')].concat(assistant(picture))],
    ['reasoning in a tool result', [user('a'), assistant(call('c')), result('c', [reasoning('r')])]],
    ['a call inside a system message', [user('a'), user('b'), { ...system(), content: [call('c')] }]],
  ])('refuses %s, naming the message', (_what, messages) => {
    const failure = failureOf(() => serialize(requestOf(messages), generic))
    expect(failure.code).toBe('UNSUPPORTED_CONTENT')
    expect(failure.message).toContain('Message 2 ')
  })
})

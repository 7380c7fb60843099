import { describe, expect, it } from 'vitest'
import {
  CallId,
  type ContentBlock,
  createAssistantMessage,
  createMessage,
  createToolResultMessage,
  createUserMessage,
  deepFreeze,
  freezeMessage,
  HarnessError,
  type Message,
  MessageId,
} from '../src/index.ts'

const id = MessageId('m1')
const callId = CallId('c1')

describe('message makers', () => {
  it('make a user message of a text, by the user', () => {
    expect(createUserMessage('hello', { id })).toStrictEqual({
      id: 'm1',
      role: 'user',
      content: [{ type: 'text', text: 'hello' }],
      source: { kind: 'user' },
    })
  })

  it('make no block of an empty text', () => {
    expect(createUserMessage('').content).toEqual([])
    expect(createToolResultMessage({ callId, content: '' }).content[0]).toMatchObject({ content: [] })
  })

  it('keep the source of a plugin that speaks for the user', () => {
    const source = { kind: 'plugin', plugin: 'memory' } as const
    expect(createUserMessage('note', { source }).source).toStrictEqual(source)
  })

  it('make an assistant message with its source', () => {
    const source = {
      kind: 'model',
      provider: 'p',
      model: 'm',
      replayState: { response: { id: 'r1' } },
    } as const
    expect(createAssistantMessage({ content: 'hi', source, id })).toStrictEqual({
      id: 'm1',
      role: 'assistant',
      content: [{ type: 'text', text: 'hi' }],
      source,
    })
  })

  it('make a tool result a user message with a tool source', () => {
    expect(createToolResultMessage({ callId, content: 'done', isError: true, id })).toStrictEqual({
      id: 'm1',
      role: 'user',
      content: [
        { type: 'tool-result', toolCallId: 'c1', content: [{ type: 'text', text: 'done' }], isError: true },
      ],
      source: { kind: 'tool', callId: 'c1' },
    })
  })

  it('drop keys whose value is undefined', () => {
    const [block] = createToolResultMessage({ callId, content: 'x', isError: undefined }).content
    expect(Object.keys(block ?? {})).toEqual(['type', 'toolCallId', 'content'])
  })

  it('mint a new id for each message', () => {
    expect(createUserMessage('a').id).not.toBe(createUserMessage('a').id)
  })
})

describe('createMessage', () => {
  it('shares nothing with its input and freezes to the bottom', () => {
    const block = { type: 'text', text: 'before' } as const
    const content: ContentBlock[] = [block]
    const message = createMessage({ role: 'system', content, source: { kind: 'user' } })
    content.push({ type: 'text', text: 'later' })
    expect(message.content).toEqual([{ type: 'text', text: 'before' }])
    expect(message.content[0]).not.toBe(block)
    expect([message, message.content, message.content[0], message.source].every(Object.isFrozen)).toBe(true)
    expect(Object.isFrozen(block)).toBe(false)
  })

  it('keeps a key named __proto__ as a key', () => {
    const block: ContentBlock = JSON.parse('{"type":"text","text":"x","__proto__":{"polluted":true}}')
    const [copy] = createUserMessage([block]).content
    expect(Object.getOwnPropertyDescriptor(copy ?? {}, '__proto__')?.value).toEqual({ polluted: true })
    expect(Reflect.get(copy ?? {}, 'polluted')).toBeUndefined()
  })

  it.each([
    ['a function', () => 'x', 'is a function'],
    ['a symbol', Symbol('x'), 'is a symbol'],
    ['a big integer', 5n, 'is a bigint'],
    ['NaN', Number.NaN, 'is NaN'],
    ['infinity', Infinity, 'is Infinity'],
    ['a class instance', new Date(0), 'is an instance of a class'],
    ['a map', new Map(), 'is an instance of a class'],
    ['bytes', new Uint8Array(2), 'is an instance of a class'],
  ])('refuses %s naming its path', (_what, extra, why) => {
    expect(faultOf([textBlock(), { ...textBlock(), extra }])).toContain(`content[1].extra ${why}`)
  })

  it.each([
    ['undefined in a list', { ...textBlock(), list: [1, undefined] }, 'content[0].list[1] is undefined'],
    ['a hole in a list', { ...textBlock(), list: Array(2) }, 'content[0].list[0] is undefined'],
    [
      'an accessor',
      Object.defineProperty(textBlock(), 'a b', { get: () => 1, enumerable: true }),
      '["a b"] is an accessor',
    ],
    ['a symbol as key', { ...textBlock(), [Symbol('x')]: 1 }, 'content[0] has a symbol as key'],
    ['a cycle', cyclicBlock(), 'contains itself'],
  ])('refuses %s naming its path', (_what, block, why) => {
    expect(faultOf([block])).toContain(why)
  })

  it('refuses a proxy that cannot be read', () => {
    const hostile = new Proxy(textBlock(), {
      ownKeys: () => {
        throw new Error('no')
      },
    })
    expect(faultOf([hostile])).toContain('cannot be read')
  })

  it.each([
    [[{ type: 'text' }], 'content[0].text must be a string'],
    [[{ type: 'reasoning', text: 1 }], 'content[0].text must be a string'],
    [[{ type: 'tool-call', id: '', name: 'n', arguments: '' }], 'content[0].id must be a non-empty string'],
    [[{ type: 'tool-call', id: 'c', name: '', arguments: '' }], 'content[0].name must be a non-empty string'],
    [
      [{ type: 'tool-call', id: 'c', name: 'n', arguments: {} }],
      'content[0].arguments must be a string, but is an object',
    ],
    [[{ type: 'tool-result', content: [] }], 'content[0].toolCallId must be a non-empty string'],
    [
      [{ type: 'tool-result', toolCallId: 'c', content: 'x' }],
      'content[0].content must be an array, but is "x"',
    ],
    [[{ type: 'tool-result', toolCallId: 'c', content: [{}] }], 'content[0].content[0].type must be'],
    [
      [{ type: 'tool-result', toolCallId: 'c', content: [], isError: 1 }],
      'content[0].isError must be a boolean',
    ],
    [['text'], 'content[0] must be a plain object'],
    [5, 'content must be an array, but is 5'],
  ])('refuses the content %j', (content, why) => {
    expect(faultOf(content)).toContain(why)
  })

  it('lets blocks of other packages pass', () => {
    const block: ContentBlock = JSON.parse('{"type":"image","url":"https://a.test/x.png"}')
    expect(createUserMessage([block]).content).toEqual([block])
  })
})

describe('freezeMessage', () => {
  it('gives a message that it knows back as it is', () => {
    const message = createUserMessage('hello')
    expect(freezeMessage(message)).toBe(message)
    expect(deepFreeze(message)).toBe(message)
  })

  it('copies a message that somebody else made', () => {
    const plain: Message = { id, role: 'user', content: [], source: { kind: 'user' } }
    const frozen = freezeMessage(plain)
    expect(frozen).toStrictEqual(plain)
    expect(frozen).not.toBe(plain)
    expect(freezeMessage(frozen)).toBe(frozen)
  })

  it.each([
    [null, 'it must be a plain object, but is null'],
    [
      { id: 'a', role: 'tool', content: [], source: { kind: 'user' } },
      'role must be one of "system", "user", "assistant", but is "tool"',
    ],
    [{ id: 5, role: 'user', content: [], source: { kind: 'user' } }, 'id must be a non-empty string'],
    [{ id: 'a', role: 'user', content: [] }, 'source must be a plain object'],
    [{ id: 'a', role: 'user', content: [], source: {} }, 'source.kind must be a non-empty string'],
  ])('refuses %j', (value, why) => {
    const message: Message = JSON.parse(JSON.stringify(value))
    expect(() => freezeMessage(message)).toThrow(
      expect.objectContaining({ code: 'INVALID_MESSAGE', message: expect.stringContaining(why) }),
    )
  })
})

function textBlock(): object {
  return { type: 'text', text: 'x' }
}

function cyclicBlock(): object {
  const block: Record<string, unknown> = { type: 'text', text: 'x' }
  block['self'] = { block }
  return block
}

function faultOf(content: unknown): string {
  try {
    Reflect.apply(createUserMessage, undefined, [content])
  } catch (error) {
    if (error instanceof HarnessError && error.code === 'INVALID_MESSAGE') return error.message
    throw error
  }
  return 'no fault'
}

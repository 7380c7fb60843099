import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Message, MessageId } from '../src/index.ts'
import { checkedRequestMessages, rememberMessages } from '../src/message-memo.ts'
import { filterReplayState } from '../src/replay-state.ts'
import { assistant, remembering, results, user } from './support/conversation.ts'

describe('rememberMessages', () => {
  it('freezes messages where they are and gives an array of its own', () => {
    const message = plain('a')
    const given = [message]
    const { messages } = rememberMessages(given)
    given.push(plain('later'))
    expect(messages).toHaveLength(1)
    expect(messages[0]).toBe(message)
    expect([messages, message, message.content, message.source].every(Object.isFrozen)).toBe(true)
    expect(Object.isFrozen(given)).toBe(false)
  })

  it('takes what it gave out as known', () => {
    const remembered = rememberMessages([user('a')])
    expect(rememberMessages(remembered.messages)).toBe(remembered)
  })

  it.each([
    ['no list', 'hello', 'INVALID_REQUEST', 'no array of messages'],
    ['nothing', undefined, 'INVALID_REQUEST', 'no array of messages'],
    ['a text among messages', [user('a'), 'hello'], 'INVALID_MESSAGE', 'messages[1] must be a plain object'],
    ['an instance of a class', [new Instance()], 'INVALID_MESSAGE', 'messages[0] must be a plain object'],
    ['a hole', Array(1), 'INVALID_MESSAGE', 'messages[0] must be a plain object'],
    [
      'a bad block',
      [{ ...plain('a'), content: [{ type: 'text' }] }],
      'INVALID_MESSAGE',
      'messages[0].content[0].text must be',
    ],
    ['a message that cannot be read', [unreadable()], 'INVALID_MESSAGE', 'messages[0] cannot be read'],
  ])('refuses %s', (_what, messages, code, why) => {
    expect(() => Reflect.apply(rememberMessages, undefined, [messages])).toThrow(
      expect.objectContaining({ code, message: expect.stringContaining(why) }),
    )
  })

  it('leaves the history to the check before dispatch', () => {
    const remembered = rememberMessages([assistant('c1')])
    expect(() => remembered.checkHistory()).toThrow(/"c1"/)
    expect(() => checkedRequestMessages(remembered.messages)).toThrow(/"c1"/)
  })
})

describe('checkedRequestMessages', () => {
  it('does not look into old messages again (L10)', () => {
    const reads = { count: 0 }
    const old = Array.from({ length: 40 }, (_, at) =>
      counted(at % 2 === 0 ? user(`${at}`) : assistant(), reads),
    )
    checkedRequestMessages(old)
    reads.count = 0
    checkedRequestMessages([...old, assistant(), user('next')])
    // One round at most is looked at again.
    expect(reads.count).toBeLessThan(10)
  })

  it('does not look into old messages when each request ends in another reminder (L10)', () => {
    const reads = { count: 0 }
    const old = Array.from({ length: 40 }, (_, at) =>
      counted(at % 2 === 0 ? user(`${at}`) : assistant(), reads),
    )
    checkedRequestMessages([...old, user('reminder 1')])
    reads.count = 0
    checkedRequestMessages([...old, user('reminder 2')])
    expect(reads.count).toBeLessThan(10)
  })

  it('refuses what follows a valid start as it would without a memory', () => {
    const old = Array.from({ length: 20 }, (_, at) => (at % 2 === 0 ? user(`${at}`) : assistant()))
    checkedRequestMessages(old)
    expect(() => checkedRequestMessages([...old, results('c1')])).toThrow(
      /messages\[20\] has a result for "c1"/,
    )
    expect(() => checkedRequestMessages([...old, assistant('c1')])).toThrow(/"c1"/)
    expect(() => checkedRequestMessages([...old, assistant('c1'), results('c1')])).not.toThrow()
    expect(() => checkedRequestMessages([...old, assistant('c1'), results('c1'), results('c1')])).toThrow(
      /\[22\]/,
    )
  })

  it('refuses an invalid request however often it comes, also where a valid one was longer', () => {
    const start = Array.from({ length: 10 }, (_, at) => user(`${at}`))
    checkedRequestMessages([...start, user('a'), user('b'), user('c')])
    const invalid = [...start, results('c1'), user('d')]
    expect(() => checkedRequestMessages([...invalid])).toThrow(/messages\[10\].*"c1"/)
    expect(() => checkedRequestMessages([...invalid])).toThrow(/messages\[10\].*"c1"/)
  })

  it('answers any order of growing, cutting and forking requests as a fresh check would', () => {
    fc.assert(
      fc.property(fc.array(fc.array(fc.nat(11), { maxLength: 24 }), { maxLength: 8 }), (requests) => {
        const pool = conversationPool()
        for (const picks of requests) {
          const messages = [...pool.start, ...picks.map((pick) => pool.messages[pick] ?? pool.first)]
          expect(verdict(messages)).toEqual(verdict(messages.map(copied)))
        }
      }),
      { numRuns: 60 },
    )
  })
})

describe('filterReplayState', () => {
  it('asks about each provider once and strips those refused', () => {
    const asked: string[] = []
    const checked = checkedRequestMessages([
      user('a'),
      remembering('x'),
      user('b'),
      remembering('y'),
      remembering('x'),
    ])
    const filtered = filterReplayState(checked, (provider) => {
      asked.push(provider)
      return provider === 'y'
    })
    expect(asked).toEqual(['x', 'y'])
    expect(filtered.map(hasReplayState)).toEqual([false, false, false, true, false])
    expect(Object.isFrozen(filtered)).toBe(true)
  })

  it('gives the very same messages when all are kept or there is none', () => {
    const checked = checkedRequestMessages([user('a'), remembering('x'), user('b')])
    expect(filterReplayState(checked, () => true)).toBe(checked.messages)
    const bare = checkedRequestMessages([user('a'), assistant(), user('b')])
    expect(filterReplayState(bare, () => false)).toBe(bare.messages)
  })

  it('strips into the same copies on every call', () => {
    const messages = [user('a'), remembering('x'), user('b')]
    const first = filterReplayState(checkedRequestMessages(messages), () => false)
    const second = filterReplayState(checkedRequestMessages([...messages, user('c')]), () => false)
    expect(second[1]).toBe(first[1])
  })

  it('forgets what it stripped of a way that was left', () => {
    const start = Array.from({ length: 10 }, (_, at) => user(`${at}`))
    const left = checkedRequestMessages([...start, remembering('x'), user('left')])
    filterReplayState(left, () => false)
    const right = checkedRequestMessages([...start, remembering('x'), user('right')])
    expect(outlineOf(filterReplayState(right, () => false))).toEqual(outlineOf(right.messages))
  })

  it('stays right for a request whose conversation went elsewhere meanwhile', () => {
    const start = Array.from({ length: 12 }, (_, at) => user(`${at}`))
    const left = checkedRequestMessages([...start, remembering('x'), user('left')])
    const right = checkedRequestMessages([...start, remembering('y'), user('right')])
    expect(outlineOf(filterReplayState(left, () => false))).toEqual(outlineOf(left.messages))
    expect(filterReplayState(left, () => false).some(hasReplayState)).toBe(false)
    expect(filterReplayState(right, (provider) => provider === 'x').at(-1)).toBe(right.messages.at(-1))
    expect([...right.replayProviders]).toEqual(['y'])
  })
})

/** Would not be frozen, so it could change after it was checked. */
class Instance {
  readonly id = 'a'
  readonly role = 'user'
  readonly content: readonly unknown[] = []
  readonly source: object = { kind: 'user' }
}

function plain(id: string): Message {
  return { id: MessageId(id), role: 'user', content: [{ type: 'text', text: id }], source: { kind: 'user' } }
}

function copied(message: Message): Message {
  return { ...message }
}

function unreadable(): object {
  return Object.defineProperty({ ...plain('a') }, 'content', {
    get: () => {
      throw new Error('no')
    },
  })
}

/** The same message, counting whatever is read of it. */
function counted(message: Message, reads: { count: number }): Message {
  return new Proxy(message, {
    get: (target, key): unknown => {
      reads.count += 1
      return Reflect.get(target, key)
    },
  })
}

function conversationPool(): {
  readonly start: readonly Message[]
  readonly messages: readonly Message[]
  readonly first: Message
} {
  const first = user('first')
  const start = Array.from({ length: 8 }, (_, at) => (at === 0 ? first : user(`${at}`)))
  const rounds = ['c1', 'c2', 'c3'].flatMap((id) => [assistant(id), results(id)])
  return { start, messages: [...rounds, ...Array.from({ length: 6 }, (_, at) => user(`pool ${at}`))], first }
}

function verdict(messages: readonly Message[]): unknown {
  try {
    return checkedRequestMessages(messages).messages
  } catch (error) {
    return String(error)
  }
}

function hasReplayState({ source }: Message): boolean {
  return source.kind === 'model' && source.replayState !== undefined
}

function outlineOf(messages: readonly Message[]): readonly string[] {
  return messages.map(({ id }) => id)
}

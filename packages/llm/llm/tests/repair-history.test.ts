import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  checkHistory,
  type ContentBlock,
  createAssistantMessage,
  createMessage,
  type Message,
  repairHistory,
} from '../src/index.ts'
import { asUser, assistant, call, result, results, says, system, text, user } from './support/conversation.ts'

describe('repairHistory', () => {
  it('gives a valid history back as the same array', () => {
    const messages = [user('a'), assistant('c1'), results('c1'), assistant()]
    expect(repairHistory(messages)).toBe(messages)
  })

  it('closes a gap with an error result where it is, and keeps everything else', () => {
    const messages = [user('a'), assistant('c1', 'c2'), results('c2'), user('go on')]
    const repaired = repairHistory(messages)
    expect(repaired.map(outline)).toEqual([
      'user: text',
      'assistant: text c1 c2',
      'user: =c2',
      'user: !c1',
      'user: text',
    ])
    expect(repaired[0]).toBe(messages[0])
    expect(repaired[4]).toBe(messages[3])
    expect(repaired[3]).toMatchObject({ source: { kind: 'tool', callId: 'c1' } })
  })

  it.each<[string, readonly Message[], readonly string[]]>([
    ['an open call at the end', [assistant('c1')], ['assistant: text c1', 'user: !c1']],
    ['an orphan', [user('a'), results('c9')], ['user: text']],
    ['a second result', [assistant('c1'), results('c1'), results('c1')], ['assistant: text c1', 'user: =c1']],
    ['an orphan beside text', [asUser(result('c9'), text('x'))], ['user: text']],
    ['a repeated call', [assistant('c1', 'c1'), results('c1')], ['assistant: text c1', 'user: =c1']],
    [
      'text before its result',
      [assistant('c1'), asUser(text('x'), result('c1'))],
      ['assistant: text c1', 'user: =c1 text'],
    ],
    [
      'a gap beside a result and text',
      [assistant('c1', 'c2'), asUser(text('x'), result('c1'))],
      ['assistant: text c1 c2', 'user: !c2', 'user: =c1 text'],
    ],
    [
      'a result that comes too late',
      [assistant('c1'), user('a'), results('c1')],
      ['assistant: text c1', 'user: !c1', 'user: text'],
    ],
    ['a call by the user', [asUser(call('c1'))], []],
    ['an answer by an assistant', [says(text('x'), result('c1'))], ['assistant: text']],
    ['an empty message', [user('')], ['user:']],
  ])('mends %s', (_what, messages, expected) => {
    expect(repairHistory(messages).map(outline)).toEqual(expected)
  })

  it('drops replay state together with the blocks it belongs to', () => {
    const source = {
      kind: 'model',
      provider: 'p',
      model: 'm',
      replayState: { response: null, blocks: [1, 2] },
    } as const
    const [message] = repairHistory([createAssistantMessage({ content: [call('c1'), call('c1')], source })])
    expect(message?.source).toEqual({ kind: 'model', provider: 'p', model: 'm' })
  })

  it('gives equal ids for equal input', () => {
    const messages = [assistant('c1'), user('a')]
    expect(repairHistory(messages)).toEqual(repairHistory(messages))
  })

  it('always gives a history that passes, and mends it once and for all', () => {
    fc.assert(
      fc.property(histories(), (messages) => {
        const before = JSON.stringify(messages)
        const repaired = repairHistory(messages)
        expect(() => checkHistory(repaired)).not.toThrow()
        expect(repairHistory(repaired)).toBe(repaired)
        expect(JSON.stringify(messages)).toBe(before)
      }),
    )
  })

  it('changes nothing exactly when nothing is wrong', () => {
    fc.assert(
      fc.property(histories(), (messages) => {
        expect(repairHistory(messages) === messages).toBe(isValid(messages))
      }),
    )
  })
})

function histories(): fc.Arbitrary<readonly Message[]> {
  const ids = fc.constantFrom('c1', 'c2', 'c3')
  const block: fc.Arbitrary<ContentBlock> = fc.oneof(ids.map(call), ids.map(result), fc.constant(text('x')))
  const role = fc.constantFrom('assistant', 'user', 'user', 'system')
  const message = fc
    .tuple(role, fc.array(block, { maxLength: 4 }))
    .map(([kind, content]) => toMessage(kind, content))
  return fc.array(message, { maxLength: 8 })
}

function toMessage(role: string, content: readonly ContentBlock[]): Message {
  if (role === 'assistant') return says(...content)
  return role === 'user'
    ? asUser(...content)
    : createMessage({ role: 'system', content, source: system('s').source })
}

function isValid(messages: readonly Message[]): boolean {
  try {
    checkHistory(messages)
    return true
  } catch {
    return false
  }
}

/** One word a block: a call by its id, a result as `=id`, an error result as `!id`. */
function outline({ role, content }: Message): string {
  const words = content.map((block) => {
    if (block.type === 'tool-call') return block.id
    if (block.type === 'tool-result') return `${block.isError === true ? '!' : '='}${block.toolCallId}`
    return block.type
  })
  return [`${role}:`, ...words].join(' ')
}

import { describe, expect, it } from 'vitest'
import { checkHistory, createMessage, LlmError, type Message } from '../src/index.ts'
import { asUser, assistant, call, result, results, says, system, text, user } from './support/conversation.ts'

describe('checkHistory', () => {
  it.each<[string, readonly Message[]]>([
    ['nothing', []],
    ['plain turns', [system('s'), user('a'), assistant(), user('b')]],
    ['two users in a row', [user('a'), user('b')]],
    ['answered calls', [user('a'), assistant('c1', 'c2'), results('c1'), results('c2')]],
    ['answers in another order', [user('a'), assistant('c1', 'c2'), results('c2', 'c1')]],
    ['text after the last answer', [assistant('c1'), asUser(result('c1'), text('and now'))]],
    ['an id used again after it was answered', [assistant('c'), results('c'), assistant('c'), results('c')]],
    ['a system message between call and answer', [assistant('c'), system('s'), results('c')]],
    ['a user message without blocks between them', [assistant('c'), user(''), results('c')]],
  ])('accepts %s', (_what, messages) => {
    expect(() => checkHistory(messages)).not.toThrow()
  })

  it.each<[string, readonly Message[], RegExp]>([
    ['two calls with one id', [assistant('c1', 'c1')], /messages\[0\] has two tool calls with the id "c1"/],
    ['an orphan', [user('a'), results('c9')], /messages\[1\] has a result for "c9", but no tool call/],
    ['a second answer', [assistant('c1'), results('c1'), results('c1')], /messages\[2\] has a result for "c1"/],
    ['a second answer in one message', [assistant('c1'), results('c1', 'c1')], /messages\[1\].*"c1"/],
    ['a call open at the next answer', [assistant('c1'), assistant()], /messages\[1\] goes on although .*"c1"/],
    ['an open id used again', [assistant('c1'), assistant('c1')], /"c1"/],
    ['a call open at user text', [assistant('c1', 'c2'), results('c1'), user('hey')], /messages\[2\].*"c2"/],
    ['text before the answer', [assistant('c1'), asUser(text('x'), result('c1'))], /messages\[1\].*"c1"/],
    ['a call open at the end', [user('a'), assistant('c1', 'c2'), results('c2')], /ends although .*"c1"/],
    ['an answer before its call', [results('c1'), assistant('c1'), results('c1')], /messages\[0\].*"c1"/],
    [
      'a call by the user',
      [asUser(call('c1'))],
      /messages\[0\] has the tool call "c1", which only an assistant/,
    ],
    ['an answer by an assistant', [says(call('c1'), result('c1'))], /messages\[0\] has the result of .*"c1"/],
    [
      'an answer by the system',
      [assistant('c1'), systemResult('c1')],
      /messages\[1\] has the result of .*"c1"/,
    ],
  ])('refuses %s and names the id', (_what, messages, expected) => {
    const attempt = (): void => checkHistory(messages)
    expect(attempt).toThrow(LlmError)
    expect(attempt).toThrow(
      expect.objectContaining({ code: 'INVALID_HISTORY', message: expect.stringMatching(expected) }),
    )
  })

  it('goes on from any place of a valid history as if it had started at the front', () => {
    const messages = [
      user('a'),
      assistant('c1', 'c2'),
      results('c1'),
      results('c2'),
      assistant('c1'),
      results('c1'),
    ]
    for (let known = 0; known <= messages.length; known += 1) {
      expect(() => checkHistory(messages, known)).not.toThrow()
      expect(() => checkHistory([...messages.slice(0, known), results('c9')], known)).toThrow(/"c9"/)
    }
  })

  it('still sees a call that a known start leaves open', () => {
    const messages = [user('a'), assistant('c1', 'c2'), results('c1')]
    expect(() => checkHistory(messages, 3)).toThrow(/"c2"/)
    expect(() => checkHistory([...messages, user('b')], 3)).toThrow(/messages\[3\].*"c2"/)
  })
})

function systemResult(id: string): Message {
  return createMessage({ role: 'system', content: [result(id)], source: { kind: 'user' } })
}

import { describe, expect, it } from 'vitest'
import { type GenerateOptions, type Message, withoutReplayState } from '../src/index.ts'
import { assistant, remembering, user } from './support/conversation.ts'

describe('withoutReplayState', () => {
  it('gives a request without any replay state back as it is', () => {
    const options = request([user('a'), assistant()])
    expect(withoutReplayState(options)).toBe(options)
  })

  it('strips every replay state and nothing else', () => {
    const messages = [user('a'), remembering('x'), user('b'), remembering('y')]
    const options = request(messages)
    const stripped = withoutReplayState(options)
    expect(stripped).toMatchObject({ provider: 'p', model: 'm', temperature: 1 })
    expect(stripped.messages.map(({ source }) => source)).toEqual([
      { kind: 'user' },
      { kind: 'model', provider: 'x', model: 'm' },
      { kind: 'user' },
      { kind: 'model', provider: 'y', model: 'm' },
    ])
    expect(stripped.messages[1]).toMatchObject({ id: messages[1]?.id, content: messages[1]?.content })
    expect(stripped.messages[0]).toBe(messages[0])
    expect(options.messages).toBe(messages)
  })

  it('makes each copy once, deep-frozen', () => {
    const options = request([remembering('x')])
    const [copy] = withoutReplayState(options).messages
    expect(withoutReplayState(options).messages[0]).toBe(copy)
    expect(Object.isFrozen(copy) && Object.isFrozen(copy?.source)).toBe(true)
  })
})

function request(messages: readonly Message[]): GenerateOptions {
  return { provider: 'p', model: 'm', temperature: 1, messages }
}

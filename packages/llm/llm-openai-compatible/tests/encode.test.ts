import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { dialects } from '../src/dialects.ts'
import { encodeRequest, keptUnder } from '../src/encode.ts'
import { profileOf } from '../src/encoding-profile.ts'
import { planRequest, serialize } from '../src/serialize.ts'
import { planConversation } from '../src/serialize-conversation.ts'
import { anyDialect, anyOptions, conversations } from './support/encode-arbitraries.ts'
import { assistant, call, reasoning, requestOf, result, text, user } from './support/serialize-kit.ts'

const { deepseek, generic } = dialects
const decode = (bytes: Uint8Array): string => new TextDecoder('utf-8', { fatal: true }).decode(bytes)

describe('encodeRequest', () => {
  it('equals the JSON text of serialize over model switches, policies and growing conversations', () => {
    const turn = fc.record({
      dialect: anyDialect,
      options: anyOptions,
      share: fc.double({ min: 0, max: 1, noNaN: true }),
    })
    fc.assert(
      fc.property(conversations, fc.array(turn, { minLength: 1, maxLength: 5 }), (messages, turns) => {
        for (const { dialect, options, share } of turns) {
          const request = requestOf(messages.slice(0, Math.ceil(messages.length * share)), options)
          expect(decode(encodeRequest(request, dialect).body)).toBe(JSON.stringify(serialize(request, dialect)))
        }
      }),
      { numRuns: 300 },
    )
  })

  it('equals it as well where a conversation grows, is asked again, or takes another turn', () => {
    fc.assert(
      fc.property(conversations, conversations, anyDialect, (messages, others, dialect) => {
        const lengths = [messages.length >> 1, messages.length, messages.length]
        const histories = [
          ...lengths.map((length) => messages.slice(0, length)),
          messages.slice(0, -1).concat(others),
        ]
        for (const history of [...histories, ...histories]) {
          const request = requestOf(history)
          const { body, callIds } = encodeRequest(request, dialect)
          expect(decode(body)).toBe(JSON.stringify(serialize(request, dialect)))
          expect(callIds).toEqual(planConversation(request, planRequest(request, dialect)).callIds)
        }
      }),
      { numRuns: 300 },
    )
  })

  it('never changes its input', () => {
    fc.assert(
      fc.property(conversations, anyDialect, anyOptions, (messages, dialect, options) => {
        const request = requestOf(messages, options)
        const before = structuredClone(request)
        encodeRequest(request, dialect)
        serialize(request, dialect)
        expect(request).toEqual(before)
      }),
    )
  })

  it('writes a conversation without messages', () => {
    expect(decode(encodeRequest(requestOf([]), generic).body)).toContain('"messages":[],')
  })

  it('writes the mark of a continued answer into the last message only', () => {
    const continues = { ...deepseek.request, readProviderOptions: () => ({ continuesAnswer: true }) }
    const dialect = { ...deepseek, request: continues }
    const request = requestOf([user('a'), assistant(text('Once'))])
    encodeRequest(request, deepseek)
    expect(decode(encodeRequest(request, dialect).body)).toBe(JSON.stringify(serialize(request, dialect)))
  })
})

describe('encodeRequest: kept encodings', () => {
  const keptFor = (model: string) => keptUnder(profileOf(deepseek.request, 'p', model)).messages

  it('keeps the bytes of a message per profile, shared by models with the same rules', () => {
    const message = assistant(reasoning('why'), text('so'))
    encodeRequest(requestOf([user('a'), message], { model: 'deepseek-flash' }), deepseek)
    const bytes = keptFor('deepseek-v4-pro').get(message)
    expect(bytes && decode(bytes)).toBe(',{"role":"assistant","content":"so","reasoning_content":"why"}')
    expect(keptFor('deepseek-r1').get(message)).toBeUndefined()
  })

  it('writes a kept message without looking at it again', () => {
    const message = user('a')
    keptFor('deepseek-flash').set(message, new TextEncoder().encode(',{"kept":true}'))
    const body = decode(encodeRequest(requestOf([message], { model: 'deepseek-flash' }), deepseek).body)
    expect(body).toContain('"messages":[{"kept":true}]')
  })

  it('copies the beginning of a conversation without looking at its messages again', () => {
    const first = [user('QQQ'), assistant(text('b')), user('c')]
    const flash = { model: 'deepseek-flash' }
    const { body } = encodeRequest(requestOf(first, flash), deepseek)
    const at = decode(body).indexOf('QQQ')
    body.fill(0x78, at, at + 3)
    const after = encodeRequest(
      requestOf([...first, assistant(text('d'))], { ...flash, system: 'S' }),
      deepseek,
    )
    expect(decode(after.body)).toContain('{"role":"system","content":"S"},{"role":"user","content":"xxx"},')
  })

  it('does not keep a message whose ids were rewritten, nor one that is not frozen', () => {
    const renamed = assistant(call('a|b'))
    const loose = { ...user('x') }
    encodeRequest(requestOf([renamed, result('a|b', 'r'), loose], { model: 'deepseek-flash' }), deepseek)
    expect(keptFor('deepseek-flash').has(renamed)).toBe(false)
    expect(keptFor('deepseek-flash').has(loose)).toBe(false)
  })
})

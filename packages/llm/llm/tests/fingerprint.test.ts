import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  canonicalRequest,
  createUserMessage,
  type GenerateOptions,
  type JsonObject,
  requestFingerprint,
  SessionId,
} from '../src/index.ts'
import { assistant, results, user } from './support/conversation.ts'

const schema: JsonObject = { type: 'object', properties: { path: { type: 'string' } } }
const base: GenerateOptions = {
  provider: 'p',
  model: 'm',
  system: 'Be brief',
  messages: [user('a'), assistant('c1'), results('c1')],
  tools: [{ name: 'look', description: 'Looks', parameters: schema }],
}

describe('requestFingerprint', () => {
  it.each<[string, GenerateOptions]>([
    ['message ids', { ...base, messages: [user('a'), assistant('c1'), results('c1')] }],
    ['the signal', { ...base, signal: new AbortController().signal }],
    ['headers', { ...base, headers: { 'x-id': '1' } }],
    ['the session', { ...base, sessionId: SessionId('s1') }],
    ['absent fields', { ...base, temperature: undefined }],
    [
      'the order of keys',
      { tools: base.tools, messages: base.messages, system: 'Be brief', model: 'm', provider: 'p' },
    ],
  ])('does not count %s', (_what, options) => {
    expect(requestFingerprint(options)).toBe(requestFingerprint(base))
  })

  it.each<[string, GenerateOptions]>([
    ['the provider', { ...base, provider: 'q' }],
    ['the model', { ...base, model: 'n' }],
    ['the system text', { ...base, system: 'Be long' }],
    ['the order of messages', { ...base, messages: base.messages.toReversed() }],
    ['a message text', { ...base, messages: [user('b'), ...base.messages.slice(1)] }],
    ['a call id', { ...base, messages: [user('a'), assistant('c2'), results('c2')] }],
    [
      'a tool schema',
      { ...base, tools: [{ name: 'look', description: 'Looks', parameters: { type: 'object' } }] },
    ],
    ['no tools', { ...base, tools: [] }],
    ['a temperature of zero', { ...base, temperature: 0 }],
    ['the effort', { ...base, reasoningEffort: 'high' }],
    ['the tool choice', { ...base, toolChoice: { name: 'look' } }],
    ['the response format', { ...base, responseFormat: { type: 'json', schema } }],
  ])('counts %s', (_what, options) => {
    expect(requestFingerprint(options)).not.toBe(requestFingerprint(base))
  })

  it('is 64 hex digits, the same in every process', () => {
    const options: GenerateOptions = { provider: 'p', model: 'm', messages: [] }
    expect(requestFingerprint(options)).toBe('e0cacc22318cb7433cca0494b91de75db8d0d3f9af96a4a78a032e60da9b5070')
  })

  it('tells a cut character from another', () => {
    const withText = (text: string): GenerateOptions => ({ ...base, system: text })
    expect(requestFingerprint(withText('\uD800'))).not.toBe(requestFingerprint(withText('\uD801')))
  })

  it.each<[string, GenerateOptions]>([
    ['temperature', { ...base, temperature: 1 }],
    ['system', { ...base, system: 'other' }],
    ['tools[0].parameters', { ...base, tools: [{ name: 'look', description: 'Looks', parameters: {} }] }],
    ['tools[*].description', { ...base, tools: [{ name: 'look', description: 'x', parameters: schema }] }],
    ['messages[*].content', { ...base, messages: [user('z'), assistant('c9'), results('c1')] }],
    ['messages[0]', { ...base, messages: [user('z'), ...base.messages.slice(1)] }],
    ['tools[0]["parameters"]["properties"]["path"]', changedPath()],
    ['tools', { ...base, tools: undefined }],
  ])('leaves out what %s points at', (path, options) => {
    expect(requestFingerprint(options)).not.toBe(requestFingerprint(base))
    expect(requestFingerprint(options, { ignore: [path] })).toBe(requestFingerprint(base, { ignore: [path] }))
  })

  it('leaves out nothing that a rule does not reach', () => {
    const ignore = ['messages[0].content', 'tools[1]', 'nothing.here', '']
    const other = { ...base, messages: [...base.messages.slice(0, 2), results('c2')] }
    expect(requestFingerprint(other, { ignore })).not.toBe(requestFingerprint(base, { ignore }))
    expect(requestFingerprint(base, { ignore: ['tools[1]', ''] })).toBe(requestFingerprint(base))
  })
})

describe('canonicalRequest', () => {
  it('spells a request in one way', () => {
    const options: GenerateOptions = {
      temperature: 0,
      provider: 'p',
      model: 'm',
      messages: [createUserMessage('a')],
      headers: { 'x-id': '1' },
    }
    expect(JSON.stringify(canonicalRequest(options))).toBe(
      '{"messages":[{"content":[{"text":"a","type":"text"}],"role":"user","source":{"kind":"user"}}],' +
        '"model":"m","provider":"p","temperature":0}',
    )
  })

  it('keeps any plain data in tool schemas, whatever the order of its keys', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue({ noUnicodeString: false })), (data) => {
        const parameters = JSON.parse(JSON.stringify(data)) as JsonObject
        const reversed = Object.fromEntries(Object.entries(parameters).reverse())
        const withSchema = (value: JsonObject): GenerateOptions => ({
          ...base,
          tools: [{ name: 'look', description: '', parameters: value }],
        })
        const canonical = canonicalRequest(withSchema(parameters))
        expect(canonical).toMatchObject({ tools: [{ parameters }] })
        expect(JSON.stringify(canonicalRequest(withSchema(reversed)))).toBe(JSON.stringify(canonical))
      }),
    )
  })

  it('refuses what is no plain data', () => {
    const options = { ...base, tools: [{ name: 'look', description: '', parameters: new Map() }] }
    expect(() => Reflect.apply(canonicalRequest, undefined, [options])).toThrow(
      expect.objectContaining({
        code: 'INVALID_REQUEST',
        message: expect.stringContaining('tools[0].parameters is an instance'),
      }),
    )
  })
})

function changedPath(): GenerateOptions {
  const parameters = { type: 'object', properties: { path: { type: 'number' } } }
  return { ...base, tools: [{ name: 'look', description: 'Looks', parameters }] }
}

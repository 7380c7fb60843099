import { describe, expect, it } from 'vitest'
import { createDialect } from '../src/dialect.ts'
import { dialects } from '../src/dialects.ts'
import { serialize } from '../src/serialize.ts'
import { requestOf, user } from './support/serialize-kit.ts'

describe('dialects', () => {
  it('has the agreed keys and each dialect knows its own', () => {
    expect(Object.keys(dialects)).toEqual([
      'openai',
      'deepseek',
      'openrouter',
      'vllm',
      'ollama',
      'llama.cpp',
      'lmstudio',
      'groq',
      'mistral',
      'xai',
      'azure',
      'qwen',
      'moonshot',
      'gemini',
      'generic',
    ])
    for (const [key, { name }] of Object.entries(dialects)) expect(name).toBe(key)
  })

  it.each(Object.values(dialects))('$name is frozen and writes a plain question', (dialect) => {
    expect([dialect, dialect.request, dialect.response].every(Object.isFrozen)).toBe(true)
    const body = serialize(requestOf([user('hi')]), dialect)
    expect(body).toMatchObject({ model: 'm', messages: [{ role: 'user', content: 'hi' }], stream: true })
    expect(Object.keys(body).filter((key) => key !== 'stream_options')).toEqual(['model', 'messages', 'stream'])
  })
})

describe('createDialect', () => {
  it('starts from the generic rules and replaces what is given', () => {
    const mine = createDialect({
      name: 'mine',
      request: { maxStops: 2 },
      response: { reasoningFields: ['thought'] },
    })
    expect(mine.request.maxStops).toBe(2)
    expect(mine.request.maxTokensField).toBe('max_tokens')
    expect(mine.response.reasoningFields).toEqual(['thought'])
  })
})

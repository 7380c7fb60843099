import { CallId, createUserMessage } from 'dsh-llm'
import { type Answer, chatCompletions, chatDialects } from 'dsh-llm-testkit'
import { describe, expect, it } from 'vitest'
import { called, illegal, look, stage as open } from './support/requests-support.ts'

const stage = (script?: readonly Answer[]) => open({ wire: 'mistral-conversations', script })
const question = { provider: 'route', model: 'm1', messages: [createUserMessage('hi')] }

describe('mistral: answers', () => {
  it('reads thinking, text, a whole call and usage', async () => {
    const usage = { inputTokens: 12, outputTokens: 9, cacheReadTokens: 4 }
    const calls = [{ id: 'a1B2c3D4e', name: 'look', arguments: '{ "a" : 1.0e0 }' }]
    const chunks = chatCompletions(
      { reasoning: ['Let me', ' see'], text: ['Look', 'ing'], calls, usage },
      chatDialects.mistral,
    )
    await using set = await stage([{ chunks }])
    const answer = await set.llm.generate({ ...question, tools: [look] })
    expect(answer.message?.content).toEqual([
      { type: 'reasoning', text: 'Let me see' },
      { type: 'text', text: 'Looking' },
      { type: 'tool-call', id: CallId('a1B2c3D4e'), name: 'look', arguments: '{ "a" : 1.0e0 }' },
    ])
    expect(answer.finish.reason).toEqual({ kind: 'tool-calls' })
    expect(answer.usage).toEqual(usage)
  })

  it.each([
    ['max-tokens', { kind: 'max-tokens' }],
    ['model_length', { kind: 'max-tokens' }],
    ['error', { kind: 'error' }],
  ])('ends with what the finish %s means', async (finish, reason) => {
    await using set = await stage([{ chunks: chatCompletions({ text: 'So', finish }, chatDialects.mistral) }])
    expect((await set.llm.generate(question)).finish.reason).toMatchObject(reason)
  })
})

describe('mistral: requests', () => {
  it('writes every option in the words of the wire', async () => {
    await using set = await stage()
    const body = await set.body({
      system: 'Be brief',
      tools: [look, illegal],
      toolChoice: { name: illegal.name },
      temperature: 0.5,
      maxTokens: 100,
      topP: 0.9,
      seed: 7,
      stop: ['X'],
      responseFormat: { type: 'json', schema: { type: 'object' }, name: 'thing' },
    })
    expect(body).toEqual({
      model: 'm1',
      stream: true,
      messages: [
        { role: 'system', content: 'Be brief' },
        { role: 'user', content: [{ type: 'text', text: 'hi' }] },
      ],
      tools: [look, { ...illegal, name: 'files_read__k13ueqb3' }].map((tool) => ({
        type: 'function',
        function: { ...tool, strict: false },
      })),
      tool_choice: { type: 'function', function: { name: 'files_read__k13ueqb3' } },
      temperature: 0.5,
      max_tokens: 100,
      top_p: 0.9,
      random_seed: 7,
      stop: ['X'],
      response_format: { type: 'json_schema', json_schema: { name: 'thing', schema: { type: 'object' } } },
    })
  })

  it.each(['auto', 'none', 'required'] as const)('passes the tool choice %s on', async (toolChoice) => {
    await using set = await stage()
    expect(await set.body({ tools: [look], toolChoice })).toMatchObject({ tool_choice: toolChoice })
  })

  it('asks for any JSON where there is no schema', async () => {
    await using set = await stage()
    const body = await set.body({ responseFormat: { type: 'json' } })
    expect(body['response_format']).toEqual({ type: 'json_object' })
  })

  it('sends nothing that was not asked for', async () => {
    await using set = await stage()
    expect(await set.body({ sessionId: 'session-1' })).toEqual({
      model: 'm1',
      stream: true,
      messages: [{ role: 'user', content: [{ type: 'text', text: 'hi' }] }],
    })
    expect(set.server.requests[0]?.body).not.toContain('session-1')
    expect(Object.values(set.server.requests[0]?.headers ?? {})).not.toContain('session-1')
  })

  it('gives calls ids of nine letters and digits, distinct where one is used again, and results theirs', async () => {
    await using set = await stage()
    const messages = [
      createUserMessage('hi'),
      ...called({ id: 'call_0', result: 'first' }, { id: 'a1B2c3D4e', result: 'kept' }),
      ...called({ id: 'call_0', result: 'second' }),
    ]
    const body = await set.body({ messages })
    const wire = JSON.stringify(body['messages'])
    const callIds = [...wire.matchAll(/"id":"([^"]+)"/g)].map(([, id]) => id)
    const resultIds = [...wire.matchAll(/"tool_call_id":"([^"]+)"/g)].map(([, id]) => id)
    expect(callIds).toHaveLength(3)
    expect(new Set(callIds).size).toBe(3)
    expect(callIds[1]).toBe('a1B2c3D4e')
    for (const id of callIds) expect(id).toMatch(/^[A-Za-z0-9]{9}$/)
    expect(resultIds).toEqual(callIds)
  })

  it('keeps every digit of the arguments of past calls', async () => {
    await using set = await stage()
    const text = '{"a":1.0e0,"id":12345678901234567890}'
    await set.body({ messages: [createUserMessage('hi'), ...called({ id: 'a1B2c3D4e', arguments: text })] })
    expect(set.server.requests[0]?.body).toContain(JSON.stringify(text))
  })

  it('marks the result of a tool that failed', async () => {
    await using set = await stage()
    const past = called({ id: 'a1B2c3D4e', result: 'no such file', isError: true })
    await set.body({ messages: [createUserMessage('hi'), ...past] })
    expect(set.server.requests[0]?.body).toContain('[tool error] no such file')
  })
})

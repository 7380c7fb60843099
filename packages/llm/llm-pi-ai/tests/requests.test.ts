import { createMessage, createUserMessage, type GenerateOptions, type JsonObject } from 'dsh-llm'
import { describe, expect, it, vi } from 'vitest'
import { called, fourWires, illegal, look, stage, type WireName, wires } from './support/requests-support.ts'
import { goldenBodies, goldenChoices, richHistory } from './support/golden-bodies.ts'

const question = { provider: 'route', model: 'm1', messages: [createUserMessage('hi')] }

/** Neutral options that an API has no field for. */
const lacking: Readonly<Partial<Record<WireName, readonly ('stop' | 'seed')[]>>> = {
  'openai-responses': ['stop', 'seed'],
  'anthropic-messages': ['seed'],
}

/** Everything that the API can carry. */
function richOptions(wire: WireName): Partial<GenerateOptions> {
  const options = {
    system: 'Be brief',
    messages: richHistory(),
    tools: [look, illegal],
    toolChoice: { name: illegal.name },
    temperature: 0.5,
    maxTokens: 100,
    topP: 0.9,
    seed: 7,
    stop: ['X'],
    responseFormat: { type: 'json', schema: { type: 'object' }, name: 'thing' },
  } as const
  return Object.fromEntries(
    Object.entries(options).filter(([name]) => !lacking[wire]?.some((lack) => lack === name)),
  )
}

describe.each(fourWires)('requests over %s', (wire) => {
  it('writes a whole request as the wire has it', async () => {
    await using set = await stage({ wire })
    expect(await set.body(richOptions(wire))).toEqual(goldenBodies[wire].rich)
  })

  it('sends nothing that was not asked for', async () => {
    await using set = await stage({ wire })
    expect(await set.body({ sessionId: 'session-1' })).toEqual(goldenBodies[wire].plain)
    expect(JSON.stringify(set.server.requests[0]?.headers)).not.toContain('session-1')
  })

  it('asks for any JSON where there is no schema, or refuses', async () => {
    await using set = await stage({ wire })
    // This API knows JSON by its schema only.
    if (wire === 'anthropic-messages')
      return expect((await set.failure({ responseFormat: { type: 'json' } })).code).toBe('UNSUPPORTED_OPTION')
    expect(await set.body({ responseFormat: { type: 'json' } })).toEqual({
      ...goldenBodies[wire].plain,
      ...goldenBodies[wire].anyJson,
    })
  })

  it('leaves the format text unsaid', async () => {
    await using set = await stage({ wire })
    expect(await set.body({ responseFormat: { type: 'text' } })).toEqual(goldenBodies[wire].plain)
  })

  it.each(['auto', 'none', 'required'] as const)('writes the tool choice %s', async (toolChoice) => {
    await using set = await stage({ wire })
    expect(await set.body({ tools: [look], toolChoice })).toMatchObject(goldenChoices[wire][toolChoice])
  })

  it.each(lacking[wire] ?? [])('refuses %s before anything is sent', async (name) => {
    await using set = await stage({ wire })
    const failure = await set.failure(name === 'seed' ? { seed: 7 } : { stop: ['X'] })
    expect(failure.code).toBe('UNSUPPORTED_OPTION')
    expect(set.server.requests).toHaveLength(0)
  })

  it('gives a call of a tool with an illegal name back under its own', async () => {
    const calls = [{ id: 'call_1', name: 'files_read__k13ueqb3', arguments: '{"a":1}' }]
    await using set = await stage({ wire, script: [{ chunks: wires[wire].render({ calls }) }] })
    const { message } = await set.llm.generate({ ...question, tools: [illegal] })
    expect(message?.content).toMatchObject([{ type: 'tool-call', name: illegal.name, arguments: '{"a":1}' }])
  })

  it('keeps the whole schema of a tool', async () => {
    await using set = await stage({ wire })
    const parameters = { type: 'object', properties: { a: {} }, description: 'Whole', minProperties: 1 }
    await set.body({ tools: [{ ...look, parameters }] })
    const { body = '' } = set.server.requests[0] ?? {}
    expect(body).toContain('"description":"Whole"')
    expect(body).toContain('"minProperties":1')
  })

  it('sends the bound of the answer as it was asked', async () => {
    await using set = await stage({ wire })
    await set.body({ maxTokens: 5 })
    expect(set.server.requests[0]?.body).toMatch(/"max\w*":5\b/i)
  })

  it('joins a system message in the middle to the instructions', async () => {
    await using set = await stage({ wire })
    const later = createMessage({ role: 'system', content: 'From now on', source: { kind: 'user' } })
    await set.body({ system: 'Be brief', messages: [createUserMessage('hi'), later, createUserMessage('go')] })
    expect(set.server.requests[0]?.body).toContain(JSON.stringify('Be brief\n\nFrom now on'))
  })

  it.each([
    ['an unknown option', { nope: 1 }],
    ['an impossible cache retention', { cacheRetention: 'forever' }],
    ['no whole number of thinking tokens', { thinkingBudgetTokens: 1.5 }],
    ['a body field that the request fills', { extraBody: { model: 'other' } }],
    ['a body field that a neutral option fills', { extraBody: { temperature: 0.9 } }],
  ])('refuses %s in providerOptions before anything is sent', async (_what, piAi) => {
    await using set = await stage({ wire })
    const options: object = { providerOptions: { piAi } }
    expect((await set.failure(options)).code).toBe('INVALID_REQUEST')
    expect(set.server.requests).toHaveLength(0)
  })

  it('adds the fields of extraBody as they are', async () => {
    await using set = await stage({ wire })
    await set.body({ providerOptions: { piAi: { extraBody: { vendor_field: { deep: [1] } } } } })
    expect(set.server.requests[0]?.body).toContain('"vendor_field":{"deep":[1]}')
  })
})

describe('requests: extraBody over google-generative-ai', () => {
  it.each([
    ['the key', { httpOptions: { headers: { 'x-goog-api-key': 'foreign' } } }],
    ['the instructions', { systemInstruction: 'foreign' }],
  ])('does not replace %s through the SDK', async (_what, extraBody) => {
    await using set = await stage({ wire: 'google-generative-ai' })
    const providerOptions = { piAi: { extraBody } }
    await set.llm.generate({ ...question, system: 'Be brief', providerOptions })
    const [request] = set.server.requests
    if (request === undefined) return
    expect(request.headers['x-goog-api-key']).toBe('k-test-SENTINEL')
    expect(request.json).toMatchObject({ systemInstruction: { parts: [{ text: 'Be brief' }] } })
  })
})

describe('requests: cache retention', () => {
  const cached = {
    system: 'Be brief',
    tools: [look],
    sessionId: 'session-1',
    providerOptions: { piAi: { cacheRetention: 'short' } },
  } as const

  it('marks instructions, the last tool and the last turn for Anthropic', async () => {
    await using set = await stage({ wire: 'anthropic-messages' })
    const mark = { cache_control: { type: 'ephemeral' } }
    expect(await set.body(cached)).toMatchObject({
      system: [{ text: 'Be brief', ...mark }],
      tools: [{ name: 'look', ...mark }],
      messages: [{ content: [{ text: 'hi', ...mark }] }],
    })
  })

  it('gives OpenAI the session as the key of its cache', async () => {
    await using set = await stage({ wire: 'openai-responses' })
    expect(await set.body(cached)).toMatchObject({ prompt_cache_key: 'session-1' })
  })
})

describe('requests: past calls', () => {
  const text = '{ "a" : 1.0e0, "id": 12345678901234567890 }'

  it.each(['openai-completions', 'openai-responses'] as const)(
    'send their argument text as it was over %s',
    async (wire) => {
      await using set = await stage({ wire })
      await set.body({ messages: [createUserMessage('hi'), ...called({ id: 'call_1', arguments: text })] })
      expect(set.server.requests[0]?.body).toContain(`"arguments":${JSON.stringify(text)}`)
    },
  )

  it.each(['anthropic-messages', 'google-generative-ai'] as const)(
    'keep every digit of their arguments over %s',
    async (wire) => {
      await using set = await stage({ wire })
      await set.body({ messages: [createUserMessage('hi'), ...called({ id: 'call_1', arguments: text })] })
      expect(set.server.requests[0]?.body).toContain('{"a":1.0e0,"id":12345678901234567890}')
    },
  )

  it.each(['openai-completions', 'openai-responses', 'anthropic-messages'] as const)(
    'have legal distinct ids over %s, and results have those of their calls',
    async (wire) => {
      await using set = await stage({ wire })
      const messages = [
        createUserMessage('hi'),
        ...called({ id: 'call 0!', result: 'first' }, { id: 'call_ok', result: 'kept' }),
        ...called({ id: 'call 0!', result: 'second' }),
        ...called({ id: 'call_ok', result: 'third' }),
        ...called({ id: `call_${'x'.repeat(80)}`, result: 'fourth' }),
      ]
      await set.body({ messages })
      const sent = set.server.requests[0]?.body ?? ''
      const { calls, results } = idsOf(wire, sent)
      expect(calls).toHaveLength(5)
      expect(new Set(calls).size).toBe(5)
      expect(calls[1]).toBe('call_ok')
      for (const id of calls) expect(id).toMatch(/^[\w-]{1,40}$/)
      expect(results).toEqual(calls)
    },
  )

  it('are matched with their results by place and name over google-generative-ai, also where an id is used again', async () => {
    await using set = await stage({ wire: 'google-generative-ai', model: 'gemini-3-flash' })
    const messages = [
      createUserMessage('hi'),
      ...called({ id: 'call_0', result: 'first' }),
      ...called({ id: 'call_0', result: 'second' }),
    ]
    const body = await set.body({ messages })
    const ids = [...JSON.stringify(body['contents']).matchAll(/"id":"([^"]+)"/g)].map(([, id]) => id)
    expect(ids).toHaveLength(4)
    expect([ids[0], ids[2]]).toEqual([ids[1], ids[3]])
    expect(ids[0]).not.toBe(ids[2])
  })

  it.each(fourWires)('have a result over %s although the tool said nothing', async (wire) => {
    await using set = await stage({ wire })
    const body = await set.body({
      messages: [createUserMessage('hi'), ...called({ id: 'call_1', result: '' })],
    })
    expect(JSON.stringify(body)).toMatch(goldenBodies[wire].emptyResult)
  })

  it.each(fourWires)('tell that the tool failed over %s', async (wire) => {
    const sent = async (isError: boolean): Promise<string> => {
      await using set = await stage({ wire })
      const past = called({ id: 'call_1', result: 'no such file', isError })
      return JSON.stringify(await set.body({ messages: [createUserMessage('hi'), ...past] }))
    }
    expect(await sent(true)).not.toBe(await sent(false))
  })
})

/** Ids of calls and of results in the order of the body. */
function idsOf(wire: WireName, body: string): { calls: readonly string[]; results: readonly string[] } {
  const find = (pattern: RegExp): readonly string[] => [...body.matchAll(pattern)].map(([, id = '']) => id)
  if (wire === 'openai-responses')
    return {
      calls: find(/"type":"function_call","call_id":"([^"]+)"/g),
      results: find(/"type":"function_call_output","call_id":"([^"]+)"/g),
    }
  if (wire === 'anthropic-messages')
    return { calls: find(/"type":"tool_use","id":"([^"]+)"/g), results: find(/"tool_use_id":"([^"]+)"/g) }
  return { calls: find(/"id":"([^"]+)"/g), results: find(/"tool_call_id":"([^"]+)"/g) }
}

describe('fields beside ours', () => {
  const jsonFormat = { responseFormat: { type: 'json', schema: { type: 'object' } } } as const

  it.each<[WireName, JsonObject, Partial<GenerateOptions>, RegExp]>([
    [
      'openai-responses',
      { text: { verbosity: 'low' } },
      jsonFormat,
      /"text":\{"format":\{.*"verbosity":"low"\}/,
    ],
    [
      'anthropic-messages',
      { output_config: { other: 1 } },
      jsonFormat,
      /"output_config":\{"format":\{.*"other":1\}/,
    ],
    [
      'openai-completions',
      { stream_options: { other: 1 } },
      {},
      /"stream_options":\{"include_usage":true,"other":1\}/,
    ],
  ])('leave ours where they are, on %s', async (wire, extraBody, options, pattern) => {
    await using set = await stage({ wire })
    const body = await set.body({ ...options, providerOptions: { piAi: { extraBody } } })
    expect(JSON.stringify(body)).toMatch(pattern)
  })
})

describe('the environment', () => {
  it('changes neither address nor deployment of Azure', async () => {
    vi.stubEnv('AZURE_OPENAI_BASE_URL', 'http://127.0.0.1:9/elsewhere')
    vi.stubEnv('AZURE_OPENAI_DEPLOYMENT_NAME_MAP', 'm1=other')
    await using set = await stage({ wire: 'openai-responses', config: { api: 'azure-openai-responses' } })
    expect(await set.body({})).toMatchObject({ model: 'm1' })
    vi.unstubAllEnvs()
  })
})

import { describe, expect, it } from 'vitest'
import {
  CallId,
  createAssistantMessage,
  createToolResultMessage,
  createUserMessage,
  DEFAULT_OPTIONS,
  type GenerateOptions,
  type OptionName,
} from '../src/index.ts'
import { says, stream } from './support/chunks.ts'
import { FunctionAdapter } from './support/function-adapter.ts'
import { failureOf, read, summary } from './support/outcome.ts'
import { ask, startTestLlm, type TestLlm } from './support/test-llm.ts'

const boom = (): never => {
  throw new Error('boom')
}

const tool = { name: 'look', description: '', parameters: {} }
const given = (value: unknown): GenerateOptions => value as GenerateOptions
const odd = (field: string, value: unknown): GenerateOptions => given({ ...ask(), [field]: value })

/** Requests nobody can take, and what the failure must name. */
const rows: [what: string, options: GenerateOptions, named: string][] = [
  ['nothing', given(undefined), 'the request: it must be an object'],
  ['null', given(null), 'the request: it must be an object'],
  ['a text', given('hello'), 'the request: it must be an object'],
  ['an empty object', given({}), 'provider must be'],
  ['a Proxy that throws', new Proxy(ask(), { ownKeys: boom }), 'cannot be read'],
  [
    'a getter that throws',
    Object.defineProperty(ask(), 'system', { get: boom, enumerable: true }),
    'cannot be read',
  ],
  ['a blank provider', odd('provider', ' '), 'provider must be a non-blank string, but is " "'],
  ['a model that is a number', odd('model', 5), 'model must be a non-blank string, but is 5'],
  ['messages that are text', odd('messages', 'hello'), 'messages must be an array, but is "hello"'],
  ['no messages', odd('messages', undefined), 'messages must be'],
  ['messages that cannot be read', odd('messages', new Proxy([], { get: boom })), 'cannot be read'],
  ['a system that is no text', odd('system', []), 'system must be a string, but is an array of 0'],
  ['tools that are an object', odd('tools', {}), 'tools must be'],
  ['a tool without a name', odd('tools', [{ ...tool, name: '' }]), 'tools[0].name must be'],
  [
    'a tool without parameters',
    odd('tools', [{ name: 'look', description: '' }]),
    'tools[0].parameters must be',
  ],
  ['two tools of one name', odd('tools', [tool, tool]), 'tools[1].name must be unique, but is "look"'],
  ['a temperature of NaN', odd('temperature', Number.NaN), 'temperature must be a finite number, but is NaN'],
  ['a temperature that is text', odd('temperature', '1'), 'temperature must be'],
  ['topP without end', odd('topP', Number.POSITIVE_INFINITY), 'topP must be'],
  ['maxTokens of 0', odd('maxTokens', 0), 'maxTokens must be a whole number above 0'],
  ['half a token', odd('maxTokens', 0.5), 'maxTokens must be'],
  ['stop that is text', odd('stop', 'end'), 'stop must be an array'],
  ['an empty stop text', odd('stop', ['end', '']), 'stop[1] must be'],
  ['a signal that is a controller', odd('signal', new AbortController()), 'signal must be an AbortSignal'],
  ['a signal nobody can leave', odd('signal', { aborted: false, addEventListener: boom }), 'signal must be'],
  ['a blank session', odd('sessionId', ''), 'sessionId must be'],
  ['an unknown purpose', odd('purpose', 'chat'), 'purpose must be'],
  ['an unknown tool choice', odd('toolChoice', 'any'), 'toolChoice must be'],
  ['a tool choice without a name', odd('toolChoice', {}), 'toolChoice.name must be'],
  ['a tool choice nobody offers', ask({ tools: [tool], toolChoice: { name: 'listen' } }), 'tools holds look'],
  ['required without tools', ask({ toolChoice: 'required' }), 'tools holds none'],
  ['a response format that is text', odd('responseFormat', 'json'), 'responseFormat must be'],
  ['half a seed', odd('seed', 0.5), 'seed must be a whole number'],
  ['headers that are no text', odd('headers', { 'x-a': 1 }), 'headers must be an object of strings'],
  ['provider options that are a list', odd('providerOptions', []), 'providerOptions must be an object'],
  [
    'provider options that are no data',
    odd('providerOptions', { p: { hook: boom } }),
    'providerOptions.p.hook is a function',
  ],
]

describe('A request nobody can take', () => {
  it.each(rows)(
    'such as %s ends in INVALID_REQUEST before any listener or adapter',
    async (_what, options, named) => {
      const adapter = new FunctionAdapter(() => stream(...says('a')))
      const { llm, own, listen, errors } = await startTestLlm()
      await own('plugin', ['p'], adapter)
      listen('listener', boom)
      const outcome = await read(llm.stream(options))
      expect(summary(outcome)).toBe('error INVALID_REQUEST')
      expect(failureOf(outcome.chunks)?.message).toContain(named)
      expect([adapter.requests.length, errors.length]).toEqual([0, 0])
    },
  )

  it('shows no long value', async () => {
    const { llm } = await startTestLlm()
    const { chunks } = await read(llm.stream(odd('purpose', 'secret'.repeat(50))))
    expect(failureOf(chunks)?.message).toContain('a string of 300 characters')
  })

  it.each([
    ['that is no message', [{}], 'INVALID_MESSAGE'],
    ['that cannot be read', [new Proxy({}, { getPrototypeOf: boom })], 'INVALID_MESSAGE'],
  ])('is one with a message %s', async (_what, messages, code) => {
    const { llm } = await startTestLlm(() => stream(...says('a')))
    expect(summary(await read(llm.stream(odd('messages', messages))))).toBe(`error ${code}`)
  })

  it('is one with an unanswered call, before any I/O, naming the id', async () => {
    const adapter = new FunctionAdapter(() => stream(...says('a')))
    const { llm, own } = await startTestLlm()
    await own('plugin', ['p'], adapter)
    const said = createAssistantMessage({
      content: [{ type: 'tool-call', id: CallId('call-7'), name: 'look', arguments: '{}' }],
      source: { kind: 'model', provider: 'p', model: 'm' },
    })
    const { chunks } = await read(llm.stream(ask({ messages: [said, createUserMessage('well?')] })))
    expect(failureOf(chunks)).toMatchObject({
      code: 'INVALID_HISTORY',
      message: expect.stringContaining('call-7'),
    })
    expect(adapter.requests).toEqual([])
    const result = createToolResultMessage({ callId: CallId('call-7'), content: 'seen' })
    expect(summary(await read(llm.stream(ask({ messages: [said, result] }))))).toBe('stop')
  })
})

describe('The request an adapter is given (L5)', () => {
  async function dispatched(options: GenerateOptions): Promise<{ request: GenerateOptions; test: TestLlm }> {
    const adapter = new FunctionAdapter(() => stream(...says('a')))
    const test = await startTestLlm()
    await test.own('plugin', ['p'], adapter)
    expect(summary(await read(test.llm.stream(options)))).toBe('stop')
    const [request] = adapter.requests
    if (request === undefined) throw new Error('not dispatched')
    return { request, test }
  }

  const rich = (): GenerateOptions => ({
    ...ask(),
    tools: [tool],
    stop: ['end'],
    headers: { 'x-a': '1' },
    toolChoice: { name: 'look' },
    responseFormat: { type: 'json', schema: { type: 'object' } },
    providerOptions: given({ family: { level: { deep: 1 } } }) as GenerateOptions['providerOptions'],
  })

  it('holds what was asked, frozen in every container', async () => {
    const options = rich()
    const { request } = await dispatched(options)
    expect(request).toMatchObject({ ...options, messages: options.messages })
    const containers: unknown[] = [
      request,
      request.messages,
      request.tools,
      request.tools?.[0],
      request.stop,
      request.headers,
    ]
    containers.push(request.toolChoice, request.responseFormat, request.providerOptions)
    expect(containers.map((container) => Object.isFrozen(container))).toEqual(containers.map(() => true))
  })

  it('shares no container with its caller, who may go on using them', async () => {
    const options = rich()
    await dispatched(options)
    for (const container of [options, options.messages, options.tools, options.stop, options.headers]) {
      expect(Object.isFrozen(container)).toBe(false)
    }
    expect(Object.isFrozen(options.toolChoice)).toBe(false)
  })

  it('is what it was when stream() was called', async () => {
    const adapter = new FunctionAdapter(() => stream(...says('a')))
    const { llm, own } = await startTestLlm()
    await own('plugin', ['p'], adapter)
    const messages = [createUserMessage('first')]
    const options = { ...ask({ messages }), model: 'before' }
    const call = llm.stream(options)
    options.model = 'after'
    messages.push(createUserMessage('second'))
    await read(call)
    expect(adapter.requests[0]).toMatchObject({ model: 'before', messages: [{ content: [{ text: 'first' }] }] })
  })

  it('has no field that is undefined, and a signal of its own', async () => {
    const { signal } = new AbortController()
    const { request } = await dispatched(ask({ system: undefined, temperature: undefined, signal }))
    expect(Object.keys(request).toSorted()).toEqual(['messages', 'model', 'provider', 'signal'])
    expect(request.signal).not.toBe(signal)
  })
})

describe('An option that an adapter does not honour', () => {
  const options: Required<Pick<GenerateOptions, OptionName>> = {
    reasoningEffort: 'high',
    system: 'be kind',
    tools: [tool],
    temperature: 0,
    maxTokens: 1,
    stop: ['end'],
    toolChoice: 'auto',
    responseFormat: { type: 'text' },
    topP: 1,
    seed: 0,
    headers: { 'x-a': '1' },
    providerOptions: {},
  }
  const names = Object.keys(options) as OptionName[]

  it.each(names)('%s is refused before dispatch, and told without a call', async (name) => {
    const adapter = new FunctionAdapter(() => stream(...says('a')), new Set())
    const { llm, own } = await startTestLlm()
    await own('plugin', ['p'], adapter)
    const request = odd(name, options[name])
    const { chunks } = await read(llm.stream(request))
    expect(failureOf(chunks)?.code).toBe('UNSUPPORTED_OPTION')
    expect(failureOf(chunks)?.message).toContain(`Provider "p" (plugin "plugin") cannot honour ${name};`)
    expect(llm.unsupported(request)).toEqual([name])
    expect(adapter.requests).toEqual([])
  })

  it('is none of those that mean nothing to adapters', async () => {
    const { llm } = await startTestLlm()
    llm.registerAdapter(['p'], new FunctionAdapter(() => stream(...says('a')), new Set()))
    const { signal } = new AbortController()
    const nothing = { seed: undefined, stop: [], tools: [] }
    const request = ask({ sessionId: 's', purpose: 'compaction', signal, ...nothing })
    expect(llm.unsupported(request)).toEqual([])
    expect(summary(await read(llm.stream(request)))).toBe('stop')
  })

  it('is by default one that the first adapters did not know', async () => {
    const { llm } = await startTestLlm()
    llm.registerAdapter(['p'], new FunctionAdapter(() => stream(...says('a')), DEFAULT_OPTIONS))
    expect(llm.unsupported({ ...ask(), ...options })).toEqual(names.slice(6))
  })

  it('is one that nobody knows, such as a misspelt one', async () => {
    const { llm } = await startTestLlm(() => stream(...says('a')))
    expect(llm.unsupported(odd('temprature', 1))).toEqual(['temprature'])
    expect(summary(await read(llm.stream(odd('temprature', 1))))).toBe('error UNSUPPORTED_OPTION')
  })
})

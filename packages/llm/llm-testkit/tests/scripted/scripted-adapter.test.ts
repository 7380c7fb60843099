import {
  type AdapterRequest,
  createLlm,
  createUserMessage,
  type Llm,
  LlmError,
  type StreamChunk,
} from 'dsh-llm'
import { describe, expect, it } from 'vitest'
import {
  collectChunks,
  expectGrammar,
  fakeClock,
  ScriptedAdapter,
  type ScriptedScript,
} from '../../src/index.ts'

const messages = [createUserMessage('Hi')]

function request(options: Partial<AdapterRequest> = {}): AdapterRequest {
  return { provider: 'p', model: 'm', messages, signal: new AbortController().signal, ...options }
}

async function start(script: ScriptedScript): Promise<Llm & { readonly adapter: ScriptedAdapter }> {
  const app = await createLlm({ runtime: { cleanupMs: 0 } })
  const adapter = new ScriptedAdapter(script)
  app.ctx.llm.registerAdapter(['p'], adapter)
  return { ...app, adapter }
}

describe('ScriptedAdapter', () => {
  it('answers step by step and keeps what it was asked', async () => {
    const usage = { inputTokens: 3, outputTokens: 1 }
    await using app = await start([{ reasoning: 'hm', text: ['a', 'b'], usage }, { text: 'second' }])
    const first = await app.llm.generate({ provider: 'p', model: 'm', messages, temperature: 0.5 })
    const second = await app.llm.generate({ provider: 'p', model: 'n', messages })
    expect([first.text, first.usage, second.text]).toEqual(['ab', usage, 'second'])
    expect(app.adapter.requests.map(({ model, temperature }) => [model, temperature])).toEqual([
      ['m', 0.5],
      ['n', undefined],
    ])
  })

  it('makes an answer from the request', async () => {
    await using app = await start(async ({ model }, index) => ({ text: `${model} ${index}` }))
    const texts = []
    for (const model of ['x', 'y'])
      texts.push((await app.llm.generate({ provider: 'p', model, messages })).text)
    expect(texts).toEqual(['x 0', 'y 1'])
  })

  it('says which call the script does not answer', async () => {
    await using app = await start([])
    const { finish } = await app.llm.generate({ provider: 'p', model: 'm', messages })
    expect(finish.failure?.message).toContain('it answers 0 and this is call 1')
  })

  it('yields chunks as they are, also illegal ones', async () => {
    const chunks: readonly StreamChunk[] = [{ type: 'text-delta', index: 3, text: 'lost' }]
    expect(await collectChunks(new ScriptedAdapter([chunks]).stream(request()))).toEqual(chunks)
    await using app = await start([{ chunks }])
    const { finish } = await app.llm.generate({ provider: 'p', model: 'm', messages })
    expect(finish.failure).toMatchObject({ code: 'ADAPTER_PROTOCOL' })
  })

  it.each([
    ['a failure', { text: 'Hel', failure: { code: 'QUOTA', message: 'no money' } }, 'QUOTA'],
    ['a neutral error', { text: 'Hel', error: { message: 'no luck' } }, 'SERVER'],
    ['a throw', { text: 'Hel', throws: new LlmError('overrun', 'OVERLOADED') }, 'OVERLOADED'],
    ['a cut', { text: 'Hel', end: 'cut' }, 'STREAM_CLOSED'],
    ['a finish left out', { text: 'Hel', finish: null }, 'STREAM_CLOSED'],
    ['a finish nobody knows', { text: 'Hel', finish: 'content-filter' }, 'CONTENT_FILTER'],
  ] as const)('ends with %s after what came before it', async (_, step, code) => {
    await using app = await start([step])
    const { finish, partial } = await app.llm.generate({ provider: 'p', model: 'm', messages })
    expect([finish.failure?.code, partial]).toEqual([code, [{ type: 'text', text: 'Hel' }]])
  })

  it('brings replay state and usage on a legal stream', async () => {
    const replayState = { response: { cursor: 1 } }
    const calls = [{ name: 'look', arguments: ['{"a"', ':1}'] }]
    const chunks = await collectChunks(new ScriptedAdapter([{ calls, replayState }]).stream(request()))
    expectGrammar(chunks, { from: 'adapter' })
    expect(chunks.at(-1)).toMatchObject({ type: 'finish', reason: { kind: 'tool-calls' }, replayState })
  })

  it('waits by the injected clock', async () => {
    const clock = fakeClock()
    const adapter = new ScriptedAdapter([{ text: 'ok', delaysMs: [1_000, 0, 500] }], { clock })
    const chunks = collectChunks(adapter.stream(request()))
    await clock.advance(999)
    expect(clock.pending).toBe(1)
    await clock.advance(501)
    expect((await chunks).length).toBe(4)
    expect([clock.now(), clock.pending]).toEqual([1_500, 0])
  })

  it('ends a wait and a hang at the abort, leaving no timer', async () => {
    const clock = fakeClock()
    for (const step of [
      { text: 'ok', delaysMs: 1_000 },
      { text: 'ok', end: 'hang' },
    ] as const) {
      const controller = new AbortController()
      const adapter = new ScriptedAdapter([step], { clock })
      const chunks = collectChunks(adapter.stream(request({ signal: controller.signal })))
      await clock.advance(0)
      controller.abort()
      await expect(chunks).rejects.toMatchObject({ code: 'ABORTED' })
      expect(clock.pending).toBe(0)
    }
  })

  it('can be deaf: the runtime ends the call all the same', async () => {
    await using app = await start([{ text: 'ok', end: 'hang', ignoresAbort: true }])
    const controller = new AbortController()
    const kinds: string[] = []
    const { signal } = controller
    for await (const chunk of app.llm.stream({ provider: 'p', model: 'm', messages, signal })) {
      kinds.push(chunk.type === 'finish' ? chunk.reason.kind : chunk.type)
      if (chunk.type === 'text-delta') setImmediate(() => controller.abort())
    }
    expect(kinds).toContain('text-delta')
    expect(kinds.at(-1)).toBe('aborted')
  })

  it('honours the options it is told to, and no others', () => {
    expect([...new ScriptedAdapter([], { options: ['tools'] }).options]).toEqual(['tools'])
    expect(new ScriptedAdapter([]).options.has('seed')).toBe(true)
  })

  it.each([undefined, 'hello', null])('says that %s is no step', async (step) => {
    const adapter = new ScriptedAdapter(() => step as never)
    await expect(collectChunks(adapter.stream(request()))).rejects.toThrow('Could not answer by the step')
  })

  it('gives out what is no chunk at all', async () => {
    const adapter = new ScriptedAdapter([[undefined as never]])
    expect(await collectChunks(adapter.stream(request()))).toEqual([undefined])
  })
})

import { getEventListeners } from 'node:events'
import { createLlm, createUserMessage, type StreamChunk, use } from 'dsh-llm'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { startProviderServer } from 'dsh-llm-testkit'
import { OpenAiCompatibleAdapter } from '../src/adapter.ts'
import openaiCompatible from '../src/index.ts'
import { answers, frame, kept } from './support/four-answers.ts'
import { summary, translate } from './support/translate-events.ts'
import { ask } from './support/whole-stack.ts'

const cut = { code: 'TRANSPORT', message: 'cut' }
const transports = [
  ['node', {}],
  ['web', { fetch: globalThis.fetch }],
] as const

const positions = Object.entries(answers).flatMap(([kind, data]) =>
  data.slice(1, -1).flatMap((_, at) => {
    const sent = data.slice(0, at + 1)
    const count = translate(sent, { failure: cut }).length - 1
    return transports.map(([transport, options]) => ({
      kind,
      events: at + 1,
      transport,
      options,
      frames: sent.map(frame),
      count,
      blocks: kept[kind]?.[at + 1] ?? [],
    }))
  }),
)

const unhandled: unknown[] = []
const keep = (reason: unknown): void => void unhandled.push(reason)

beforeEach(() => void process.on('unhandledRejection', keep))

afterEach(async () => {
  await new Promise((resolve) => setImmediate(resolve))
  process.off('unhandledRejection', keep)
  expect(unhandled.splice(0)).toEqual([])
})

describe('an abort', () => {
  it.each(positions)(
    'after $events events of $kind keeps what came and closes the socket, $transport transport',
    async ({ options, frames, count, blocks }) => {
      const controller = new AbortController()
      const outcome = await ask(
        { chunks: frames, end: 'hang' },
        {
          config: options,
          request: { signal: controller.signal },
          onChunk: (seen) => seen === count && controller.abort(new Error('stop now')),
        },
      )
      expect(outcome.lines).toEqual([...blocks, 'aborted ABORTED'])
      expect(outcome.failure?.message).toContain('stop now')
      expect(outcome.endedBy).toBe('client')
      expect(getEventListeners(controller.signal, 'abort')).toEqual([])
    },
  )

  it('before the call sends nothing', async () => {
    const outcome = await ask({}, { request: { signal: AbortSignal.abort(new Error('too late')) } })
    expect([outcome.lines, outcome.requests.length]).toEqual([['aborted ABORTED'], 0])
    expect(outcome.failure?.message).toContain('too late')
  })

  it('after the end changes nothing', async () => {
    const controller = new AbortController()
    const chunks = (answers['text'] ?? []).map(frame)
    const request = { signal: controller.signal }
    const outcome = await ask({ chunks, end: 'hang' }, { request })
    controller.abort()
    expect(outcome.lines).toEqual(['text Hello', 'stop'])
  })
})

describe('a consumer that leaves', () => {
  it.each(positions)(
    'after $events events of $kind closes the socket, $transport transport',
    async ({ options, frames, count }) => {
      await using server = await startProviderServer({ script: [{ chunks: frames, end: 'hang' }] })
      const provider = { baseURL: server.url, ...options }
      await using host = await createLlm({ plugins: [use(openaiCompatible, { providers: { p: provider } })] })
      const { signal } = new AbortController()
      let seen = 0
      for await (const _ of host.llm.stream({
        provider: 'p',
        model: 'm',
        messages: [createUserMessage('hi')],
        signal,
      })) {
        if (++seen === count) break
      }
      const request = await server.waitForRequest()
      expect((await request.closed).by).toBe('client')
      expect(getEventListeners(signal, 'abort')).toEqual([])
    },
  )

  it('never begins to read sends nothing', async () => {
    await using server = await startProviderServer({ script: [{}] })
    const provider = { baseURL: server.url }
    await using host = await createLlm({ plugins: [use(openaiCompatible, { providers: { p: provider } })] })
    host.llm.stream({ provider: 'p', model: 'm', messages: [createUserMessage('hi')] })
    await new Promise((resolve) => setImmediate(resolve))
    expect(server.connectionCount).toBe(0)
  })

  it('returns while the headers are awaited closes the socket, on the bare adapter too', async () => {
    await using server = await startProviderServer({ script: [{ raw: true, end: 'hang' }] })
    const { signal } = new AbortController()
    const adapter = new OpenAiCompatibleAdapter({ baseURL: server.url })
    const chunks = adapter.stream({ provider: 'p', model: 'm', messages: [createUserMessage('hi')], signal })
    const pending = chunks.next()
    const request = await server.waitForRequest()
    await chunks.return?.()
    expect(await pending).toEqual({ done: true, value: undefined })
    expect((await request.closed).by).toBe('client')
    expect(getEventListeners(signal, 'abort')).toEqual([])
  })
})

describe('one signal for a hundred calls', () => {
  it('has no listener after any of them, however they end', async () => {
    const { signal } = new AbortController()
    const whole = (answers['text'] ?? []).map(frame)
    const ends = [
      { chunks: whole },
      { status: 500 },
      { chunks: whole.slice(0, 1), end: 'reset' },
      { chunks: 'rubbish' },
    ] as const
    await using server = await startProviderServer({ script: (_request, index) => ends[index % 4] ?? {} })
    const adapter = new OpenAiCompatibleAdapter({ baseURL: server.url })
    const collected: StreamChunk[] = []
    for (let call = 0; call < 100; call += 1) {
      const stream = adapter.stream({ provider: 'p', model: 'm', messages: [createUserMessage('hi')], signal })
      try {
        for await (const chunk of stream) collected.push(chunk)
      } catch {
        // A failure before the answer begins is thrown by the bare adapter.
      }
      expect(getEventListeners(signal, 'abort')).toEqual([])
    }
    expect(summary(collected).filter((line) => line === 'stop')).toHaveLength(25)
  })
})

import type { Context } from 'dsh-context'
import {
  type AdapterRequest,
  ChunkWriter,
  createLlm,
  createUserMessage,
  LlmAdapter,
  type Llm,
  type StreamChunk,
  StreamPriority,
} from 'dsh-llm'
import { describe, expect, it } from 'vitest'
import { writeExamples } from './examples.ts'

type Load = (ctx: Context, config?: unknown) => void

const examples = writeExamples('listeners', ['docs/writing-a-listener.md'])

/** The listener of one example, as the document prints it. */
async function load(name: string): Promise<Load> {
  const file = examples.find((example) => example.file.endsWith(`${name}-listener.ts`))?.file ?? 'missing'
  return ((await import(file)) as Readonly<Record<string, Load>>)[name] as Load
}

/** Answers with the number of the run; each run waits for its gate, if there is one. */
class CountingAdapter extends LlmAdapter {
  runs = 0
  most = 0
  running = 0
  gate: Promise<void> | undefined

  async *stream(request: AdapterRequest): AsyncGenerator<StreamChunk> {
    this.runs += 1
    this.running += 1
    this.most = Math.max(this.most, this.running)
    try {
      const writer = new ChunkWriter()
      yield* writer.text(`run ${this.runs} of ${request.model}`)
      await this.gate
      yield* writer.usage({ outputTokens: 10 })
      yield* writer.finish(request.model === 'cut' ? 'max-tokens' : 'stop')
    } finally {
      this.running -= 1
    }
  }
}

async function start(adapter: LlmAdapter, listener: Load, config?: unknown): Promise<Llm> {
  const app = await createLlm({
    plugins: [(ctx: Context): void => void ctx.llm.registerAdapter(['p'], adapter)],
  })
  listener(app.ctx, config)
  return app
}

/** A retry of the plainest kind: the first run is void. */
function retryOnce(ctx: Context): void {
  const failure = { message: 'try again', code: 'SERVER' }
  const listener = async function* (
    _: unknown,
    next: () => AsyncIterable<StreamChunk>,
  ): AsyncGenerator<StreamChunk> {
    for await (const chunk of next()) if (chunk.type !== 'finish') yield chunk
    yield { type: 'attempt', attempt: 2, failure, delayMs: 0 }
    yield* next()
  }
  ctx.on('llm/stream', listener, { priority: StreamPriority.retry })
}

function ask(model: string, signal?: AbortSignal): Parameters<Llm['llm']['generate']>[0] {
  const messages = [createUserMessage('Go')]
  return { provider: 'p', model, messages, signal }
}

describe('the cache of docs/writing-a-listener.md', () => {
  it('answers an equal request from memory and another one anew', async () => {
    const adapter = new CountingAdapter()
    const { llm, dispose } = await start(adapter, await load('cache'))
    const texts = [await llm.generate(ask('a')), await llm.generate(ask('a')), await llm.generate(ask('b'))]
    expect(texts.map(({ text }) => text)).toEqual(['run 1 of a', 'run 1 of a', 'run 2 of b'])
    await dispose()
  })

  it('keeps only what followed the last attempt', async () => {
    const { llm, ctx, dispose } = await start(new CountingAdapter(), await load('cache'))
    retryOnce(ctx)
    await llm.generate(ask('a'))
    const again = await llm.generate(ask('a'))
    expect([again.text, again.attempts]).toEqual(['run 2 of a', []])
    await dispose()
  })

  it('keeps no answer that was cut', async () => {
    const adapter = new CountingAdapter()
    const { llm, dispose } = await start(adapter, await load('cache'))
    await llm.generate(ask('cut'))
    await llm.generate(ask('cut'))
    expect(adapter.runs).toBe(2)
    await dispose()
  })
})

describe('the log of docs/writing-a-listener.md', () => {
  it('counts void attempts and names who answered', async () => {
    const lines: string[] = []
    const write = (line: string): void => void lines.push(line)
    const { llm, ctx, dispose } = await start(new CountingAdapter(), await load('log'), { write })
    retryOnce(ctx)
    ctx.on('llm/stream', (request, next) => next({ ...request, model: 'rerouted' }))
    await llm.generate(ask('a'))
    expect(lines).toEqual(['p/rerouted stop, 2 attempt(s), 20 tokens out'])
    await dispose()
  })
})

describe('the limit of docs/writing-a-listener.md', () => {
  it('lets no more than its slots run at once', async () => {
    const adapter = new CountingAdapter()
    const { llm, dispose } = await start(adapter, await load('limit'), { slots: 2 })
    const answers = await Promise.all(Array.from({ length: 7 }, () => llm.generate(ask('a'))))
    expect([answers.every(({ finish }) => finish.kind === 'stop'), adapter.most, adapter.runs]).toEqual([
      true,
      2,
      7,
    ])
    await dispose()
  })

  it('gives the slot back when a reader leaves', async () => {
    const adapter = new CountingAdapter()
    const { llm, dispose } = await start(adapter, await load('limit'), { slots: 1 })
    for await (const chunk of llm.stream(ask('a'))) if (chunk.type === 'text-delta') break
    expect((await llm.generate(ask('a'))).finish.kind).toBe('stop')
    await dispose()
  })

  it('ends an aborted wait without reaching the provider', async () => {
    const adapter = new CountingAdapter()
    const gate = Promise.withResolvers<void>()
    adapter.gate = gate.promise
    const { llm, dispose } = await start(adapter, await load('limit'), { slots: 1 })
    const controller = new AbortController()
    const first = llm.generate(ask('a'))
    const second = llm.generate(ask('a', controller.signal))
    controller.abort()
    expect((await second).finish.kind).toBe('aborted')
    gate.resolve()
    expect([(await first).finish.kind, adapter.runs]).toEqual(['stop', 1])
    await dispose()
  })
})

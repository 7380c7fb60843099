import { setImmediate as nextTurn } from 'node:timers/promises'
import { Context } from 'dsh-context'
import { createFailure, createLlm, LlmRuntime, type StreamChunk, use } from 'dsh-llm'
import retry from 'dsh-llm-retry'
import route from 'dsh-llm-route'
import { collectChunks, ScriptedAdapter } from 'dsh-llm-testkit'
import { describe, expect, it } from 'vitest'
import replay from '../src/index.ts'
import { ReplayAdapter } from '../src/replay-adapter.ts'
import { failureOf, openStage, record, registers, TestFile, textOf, toRequest } from './support/stage.ts'

const limited: readonly StreamChunk[] = [
  { type: 'finish', reason: { kind: 'error', failure: createFailure('slow', 'RATE_LIMIT', { status: 429 }) } },
]

describe('replay', () => {
  it('drives the real retry by recorded failures: the same attempts, the same answer', async () => {
    using file = new TestFile()
    const plugins = [use(retry, { initialDelayMs: 0, maxDelayMs: 0 })]
    const script = [limited, limited, { text: 'at last' }]
    await using recorded = await openStage({ file: file.path, mode: 'record' }, { script, plugins })
    const ask = async ({ clock, ask: read }: typeof recorded): Promise<StreamChunk[]> => {
      const reading = read(toRequest('q'))
      await clock.runAll()
      return reading
    }
    const before = await ask(recorded)
    expect(before.filter(({ type }) => type === 'attempt')).toHaveLength(2)
    expect(file.lines).toHaveLength(4)
    await using replayed = await openStage({ file: file.path, mode: 'replay' }, { plugins })
    expect(await ask(replayed)).toEqual(before)
    replayed.ctx.llmReplay.assertConsumed()
  })

  it('serves parallel calls of one session by order of dispatch, whichever ended first', async () => {
    using file = new TestFile()
    const request = toRequest('same', { sessionId: 's' })
    const script = [{ text: 'slow', delaysMs: 10 }, { text: 'quick' }]
    await using recorded = await openStage({ file: file.path, mode: 'record' }, { script })
    const both = Promise.all([recorded.ask(request), recorded.ask(request)])
    await recorded.clock.runAll()
    const before = await both
    expect(file.lines[1]).toContain('"call":2,')
    for (const match of ['session', 'fingerprint'] as const) {
      await using replayed = await openStage({ file: file.path, mode: 'replay', match })
      expect(await Promise.all([replayed.ask(request), replayed.ask(request)])).toEqual(before)
    }
  })

  it('pairs sessions by first appearance, with a cursor for each and one for calls without', async () => {
    using file = new TestFile()
    const call = (text: string, sessionId?: string) => toRequest(text, { sessionId })
    await record(file, [
      [call('q', 'x'), 'x1'],
      [call('q'), 'none'],
      [call('q', 'y'), 'y1'],
      [call('q', 'x'), 'x2'],
    ])
    await using stage = await openStage({ file: file.path, mode: 'replay' })
    const texts: string[] = []
    for (const sessionId of ['k', 'k', 'l', undefined])
      texts.push(textOf(await stage.ask(call('q', sessionId))))
    expect(texts).toEqual(['x1', 'x2', 'y1', 'none'])
    stage.ctx.llmReplay.assertConsumed()
    expect(failureOf(await stage.ask(call('q', 'm'))).message).toMatch(/no more answers for session 3/)
  })

  it('gives equal requests by fingerprint the calls of their own session, then those that stand first', async () => {
    using file = new TestFile()
    const call = (sessionId?: string) => toRequest('same', { sessionId })
    const order = ['a', 'b', undefined, 'a', 'b'] as const
    await record(
      file,
      order.map((sessionId, at) => [call(sessionId), `${at}`] as const),
    )
    await using stage = await openStage({ file: file.path, mode: 'replay', match: 'fingerprint' })
    const texts: string[] = []
    for (const sessionId of ['x', 'x', 'y', 'x', undefined])
      texts.push(textOf(await stage.ask(call(sessionId))))
    expect(texts).toEqual(['0', '3', '1', '2', '4'])
    expect(failureOf(await stage.ask(call('x'))).message).toContain('no more answers for this request')
  })

  it('pairs the other sessions as before when a call of one misses', async () => {
    using file = new TestFile()
    const call = (sessionId: string, text = sessionId) => toRequest(text, { sessionId })
    await record(file, [
      [call('a'), 'to a'],
      [call('b'), 'to b'],
    ])
    await using stage = await openStage({ file: file.path, mode: 'replay' })
    expect(failureOf(await stage.ask(call('x', 'changed'))).code).toBe('REPLAY_DIVERGED')
    expect(textOf(await stage.ask(call('y', 'b')))).toBe('to b')
    expect(textOf(await stage.ask(call('x', 'a')))).toBe('to a')
  })

  it('drives a fallback by the failure of a route that nobody serves', async () => {
    using file = new TestFile()
    const fallbacks = [{ from: { provider: 'gone' }, on: ['NO_ADAPTER'], to: [{ provider: 'p', model: 'm' }] }]
    const plugins = [use(route, { fallbacks })]
    const request = { ...toRequest('q'), provider: 'gone' }
    await using recorded = await openStage(
      { file: file.path, mode: 'record' },
      { script: [{ text: 'yes' }], plugins },
    )
    const before = await recorded.ask(request)
    expect(textOf(before)).toBe('yes')
    await using replayed = await openStage({ file: file.path, mode: 'replay' }, { plugins })
    expect(await replayed.ask(request)).toEqual(before)
    replayed.ctx.llmReplay.assertConsumed()
  })

  it('ends with a named failure where the recorded reader left and this one does not', async () => {
    using file = new TestFile()
    await using recorded = await openStage(
      { file: file.path, mode: 'record' },
      { script: [{ text: ['a', 'b'] }] },
    )
    for await (const chunk of recorded.llm.stream(toRequest('q'))) if (chunk.type === 'text-delta') break
    expect(file.lines[1]).toMatch(/"outcome":"left"\}$/)
    await using stage = await openStage({ file: file.path, mode: 'replay' })
    const chunks = await stage.ask(toRequest('q'))
    expect([textOf(chunks), failureOf(chunks).code]).toEqual(['a', 'REPLAY_EXHAUSTED'])
  })

  it('waits as long as the recorded run did when paced, and an abort ends the wait', async () => {
    using file = new TestFile()
    await using recorded = await openStage(
      { file: file.path, mode: 'record' },
      { script: [{ text: ['a', 'b'], delaysMs: 100 }] },
    )
    const reading = recorded.ask(toRequest('q'))
    await recorded.clock.runAll()
    const chunks = await reading
    const config = { file: file.path, mode: 'replay', pacing: 'recorded' } as const
    await using paced = await openStage(config)
    const again = paced.ask(toRequest('q'))
    await paced.clock.runAll()
    expect([await again, paced.clock.now()]).toEqual([chunks, recorded.clock.now()])
    await using left = await openStage(config)
    const controller = new AbortController()
    const cut = left.ask(toRequest('q', { signal: controller.signal }))
    await left.clock.advance(250)
    controller.abort()
    expect(failureOf(await cut).code).toBe('ABORTED')
    expect([left.clock.now(), left.clock.pending]).toEqual([250, 0])
  })

  it('neither records nor uses anything up for a call that was aborted before it began', async () => {
    using file = new TestFile()
    const aborted = toRequest('q', { signal: AbortSignal.abort() })
    await record(file, [
      [aborted, 'no'],
      [toRequest('q'), 'yes'],
    ])
    expect(file.lines).toHaveLength(2)
    await using stage = await openStage({ file: file.path, mode: 'replay' })
    expect(failureOf(await stage.ask(aborted)).code).toBe('ABORTED')
    expect(failureOf(await stage.ask(toRequest('q'))).code).toBe('stop')
  })

  it('stands in for routes that nobody owns, and asks no adapter that owns one', async () => {
    using file = new TestFile()
    await record(file, [[toRequest('q'), 'yes']])
    await using alone = await openStage({ file: file.path, mode: 'replay' })
    expect(alone.llm.listProviders()).toEqual([{ id: 'p', name: 'p' }])
    expect(alone.llm.unsupported(toRequest('q', { seed: 1 }))).toEqual([])
    await using beside = await openStage({ file: file.path, mode: 'replay' }, { script: [] })
    expect(textOf(await beside.ask(toRequest('q')))).toBe('yes')
  })

  it('leaves a route to its adapter, whichever of the two is loaded first', async () => {
    using file = new TestFile()
    await record(file, [[toRequest('q'), 'yes']])
    const adapter = new ScriptedAdapter([])
    await using host = await createLlm({
      plugins: [use(replay, { file: file.path, mode: 'replay' }), registers('p', adapter)],
    })
    expect(host.llm.registry.owner('p')).toBe(adapter)
    expect(textOf(await collectChunks(host.llm.stream(toRequest('q'))))).toBe('yes')
  })

  it('may be unloaded while it loads', async () => {
    using file = new TestFile()
    await record(file, [[toRequest('q'), 'yes']])
    const host = new Context()
    const errors: unknown[] = []
    host.on('internal/error', (error) => void errors.push(error))
    await host.plugin(LlmRuntime, {})
    const fiber = host.plugin(replay, { file: file.path, mode: 'replay' })
    await fiber.dispose()
    await nextTurn()
    expect(host.llm.listProviders()).toEqual([])
    expect(errors).toEqual([])
    await host.dispose()
  })

  it('takes a route over when its adapter goes', async () => {
    using file = new TestFile()
    await record(file, [[toRequest('q'), 'yes']])
    const host = new Context()
    await host.plugin(LlmRuntime, {})
    const adapter = new ScriptedAdapter([])
    const owner = host.plugin({
      name: 'owner',
      inject: ['llm'],
      apply: (ctx) => void ctx.llm.registerAdapter(['p'], adapter),
    })
    await owner
    await host.plugin(replay, { file: file.path, mode: 'replay' })
    expect(host.llm.registry.owner('p')).toBe(adapter)
    await owner.dispose()
    expect(host.llm.registry.owner('p')).toBeInstanceOf(ReplayAdapter)
    await host.dispose()
  })

  it('stands aside when it is off', async () => {
    using file = new TestFile()
    await using stage = await openStage({ file: file.path, mode: 'off' }, { script: [{ text: 'live' }] })
    expect(textOf(await stage.ask(toRequest('q')))).toBe('live')
    expect(stage.ctx.llmReplay.report()).toMatchObject({ mode: 'off', recorded: 0, replayed: 0 })
    expect(() => file.text).toThrow(/ENOENT/)
  })
})

import { getEventListeners } from 'node:events'
import { createAssistantMessage, createUserMessage, use } from 'dsh-llm'
import { collectChunks, expectGrammar } from 'dsh-llm-testkit'
import retry, { type RetryConfig } from 'dsh-llm-retry'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { RouteConfig } from '../src/index.ts'
import { ask, createStage, fails, request, type Stage } from './support/route-stage.ts'

const to = [
  { provider: 'b', model: 'm' },
  { provider: 'c', model: 'm' },
]
const config: RouteConfig = { fallbacks: [{ from: { provider: 'a' }, on: ['SERVER', 'AUTH'], to }] }

function stageWith(scripts: Parameters<typeof createStage>[0], policy: RetryConfig = {}): Promise<Stage> {
  const retrying = use(retry, { random: () => 1, maxAttempts: 2, ...policy })
  return createStage(scripts, { config, plugins: [retrying] })
}

describe('retry and route together', () => {
  it('retry each route before it is switched, and count attempts over the whole call', async () => {
    const down = [fails('SERVER'), fails('SERVER')]
    await using stage = await stageWith({ a: down, b: down, c: [fails('SERVER'), { text: 'Hi' }] })
    const { switches, text, message } = await ask(stage)
    expect(switches).toEqual([
      '2 SERVER 500',
      '3 SERVER → b/m',
      '4 SERVER 500',
      '5 SERVER → c/m',
      '6 SERVER 500',
    ])
    expect([text, message?.source]).toMatchObject(['Hi', { provider: 'c' }])
  })

  it('give each route the policy of its own provider', async () => {
    const script = Array.from({ length: 3 }, () => fails('SERVER'))
    const policy = { providers: { b: { maxAttempts: 3 }, c: { until: 'never' as const } } }
    await using stage = await stageWith({ a: script, b: script, c: script }, policy)
    await ask(stage)
    const requests = ['a', 'b', 'c'].map((name) => stage.adapters[name]?.requests.length)
    expect(requests).toEqual([2, 3, 1])
  })

  it('do not hand replay state from one provider to another', async () => {
    const source = { kind: 'model' as const, provider: 'a', model: 'm', replayState: { response: 'signed' } }
    const answer = createAssistantMessage({ content: [{ type: 'text', text: 'before' }], source })
    await using stage = await stageWith({ a: [fails('AUTH')], b: [{ text: 'Hi' }] })
    await ask(stage, { messages: [...request.messages, answer, createUserMessage('more')] })
    const seen = ['a', 'b'].map((name) => JSON.stringify(stage.adapters[name]?.requests[0]?.messages))
    expect(seen.map((messages) => messages.includes('signed'))).toEqual([true, false])
  })

  it('keep the grammar, the order and the bounds for any failures, with an abort at any time', async () => {
    const outcome = fc.constantFrom('SERVER', 'AUTH', 'QUOTA', 'answer')
    const script = fc.array(outcome, { minLength: 3, maxLength: 3 })
    const cases = fc.record({ a: script, b: script, c: script, abortAtMs: fc.integer({ min: 0, max: 4_000 }) })
    const property = fc.asyncProperty(cases, async ({ abortAtMs, ...outcomes }) => {
      const scripts = Object.fromEntries(
        Object.entries(outcomes).map(([name, codes]) => [
          name,
          codes.map((code) => ({ chunks: code === 'answer' ? answerChunks : fails(code), delaysMs: [200] })),
        ]),
      )
      await using stage = await stageWith(scripts)
      const controller = new AbortController()
      const reading = collectChunks(stage.llm.stream({ ...request, signal: controller.signal }))
      await stage.clock.advance(abortAtMs)
      controller.abort()
      const chunks = await reading
      expectGrammar(chunks)
      expect(chunks.filter(({ type }) => type === 'text-delta').length).toBeLessThanOrEqual(1)
      const counts = ['a', 'b', 'c'].map((name) => stage.adapters[name]?.requests.length ?? 0)
      for (const count of counts) expect(count).toBeLessThanOrEqual(2)
      const total = counts.reduce((sum, count) => sum + count, 0)
      const attempts = chunks.filter(({ type }) => type === 'attempt').length
      // An abort may come between an attempt that is announced and its request.
      expect([attempts, attempts + 1]).toContain(total)
      await stage.clock.advance(60_000)
      expect(counts).toEqual(['a', 'b', 'c'].map((name) => stage.adapters[name]?.requests.length ?? 0))
      expect([stage.clock.pending, getEventListeners(controller.signal, 'abort').length]).toEqual([0, 0])
    })
    await fc.assert(property, { numRuns: 200 })
  })
})

const answerChunks = [
  { type: 'block-start', index: 0, blockType: 'text' },
  { type: 'text-delta', index: 0, text: 'Hi' },
  { type: 'block-end', index: 0, block: { type: 'text', text: 'Hi' } },
  { type: 'finish', reason: { kind: 'stop' } },
] as const

import { getEventListeners } from 'node:events'
import { collect, type StreamChunk } from 'dsh-llm'
import { collectChunks, expectGrammar } from 'dsh-llm-testkit'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { failingRuns, policies, predict, toStep } from './support/scripted-runs.ts'
import { createStage, readAll, request, type Stage } from './support/retry-stage.ts'

const anyCase = {
  runs: failingRuns,
  policy: policies,
  random: fc.double({ min: 0, max: 0.999, noNaN: true }),
}

interface Case {
  readonly runs: Parameters<typeof predict>[0]
  readonly policy: Parameters<typeof predict>[1]
  readonly random: number
}

function stageOf({ runs, policy, random }: Case): Promise<Stage> {
  return createStage([...runs.map(toStep), { text: ['He', 'llo'] }], {
    config: policy,
    random: () => random,
  })
}

function isContent({ type }: StreamChunk): boolean {
  return type.endsWith('delta') || type === 'block-end'
}

describe('retry under any script of failures and any policy', () => {
  it('makes the requests that the policy allows, in the time it allows, and leaves nothing running', async () => {
    const property = fc.asyncProperty(fc.record(anyCase), async (given) => {
      await using stage = await stageOf(given)
      const chunks = await readAll(stage)
      const { requests, elapsedMs, isAnswered } = predict(given.runs, given.policy, given.random)
      const finish = chunks.at(-1)
      expectGrammar(chunks)
      expect(stage.adapter.requests).toHaveLength(requests)
      expect(stage.clock.now()).toBe(elapsedMs)
      expect(finish?.type === 'finish' && finish.reason.kind === 'stop').toBe(isAnswered)
      expect(chunks.filter(({ type }) => type === 'attempt')).toHaveLength(requests - 1)
      expect(stage.clock.pending).toBe(0)
    })
    await fc.assert(property, { numRuns: 300 })
  })

  it('keeps every wait within the policy', async () => {
    const property = fc.asyncProperty(fc.record(anyCase), async (given) => {
      await using stage = await stageOf(given)
      const { initialDelayMs, maxDelayMs, maxProviderDelayMs } = given.policy
      for (const chunk of await readAll(stage)) {
        if (chunk.type !== 'attempt') continue
        const { attempt, delayMs, failure } = chunk
        const bound = Math.min(maxDelayMs, initialDelayMs * 2 ** (attempt - 2))
        expect(delayMs).toBeLessThanOrEqual(
          failure.providerRetryAfterMs === undefined ? bound : maxProviderDelayMs,
        )
        expect(delayMs).toBeGreaterThanOrEqual(failure.providerRetryAfterMs ?? 0)
      }
    })
    await fc.assert(property, { numRuns: 200 })
  })

  it('never shows content twice', async () => {
    const property = fc.asyncProperty(fc.record(anyCase), async (given) => {
      await using stage = await stageOf(given)
      const chunks = await readAll(stage)
      const lastAttempt = chunks.findLastIndex(({ type }) => type === 'attempt')
      const isSeenAtOnce = given.policy.until === 'finish'
      if (!isSeenAtOnce) expect(chunks.slice(0, Math.max(0, lastAttempt)).filter(isContent)).toEqual([])
      const { text } = await collect(replayOf(chunks))
      expect(['', 'Hi', 'Hello']).toContain(text)
    })
    await fc.assert(property, { numRuns: 200 })
  })

  it('ends at an abort at once, with one finish and nothing left', async () => {
    const cases = { ...anyCase, abortAtMs: fc.integer({ min: 0, max: 8_000 }) }
    const property = fc.asyncProperty(fc.record(cases), async ({ abortAtMs, ...given }) => {
      await using stage = await stageOf(given)
      const controller = new AbortController()
      const reading = collectChunks(stage.llm.stream({ ...request, signal: controller.signal }))
      await stage.clock.advance(abortAtMs)
      controller.abort()
      const chunks = await reading
      const requests = stage.adapter.requests.length
      expectGrammar(chunks)
      const { elapsedMs } = predict(given.runs, given.policy, given.random)
      const finish = chunks.at(-1)
      const isAborted = finish?.type === 'finish' && finish.reason.kind === 'aborted'
      expect(isAborted).toBe(elapsedMs > abortAtMs)
      await stage.clock.runAll()
      expect([stage.adapter.requests.length, stage.clock.now()]).toEqual([requests, abortAtMs])
      expect(getEventListeners(controller.signal, 'abort')).toEqual([])
    })
    await fc.assert(property, { numRuns: 300 })
  })

  it('begins nothing more once the reader has left', async () => {
    const cases = { ...anyCase, leaveAfter: fc.integer({ min: 1, max: 8 }) }
    const property = fc.asyncProperty(fc.record(cases), async ({ leaveAfter, ...given }) => {
      await using stage = await stageOf(given)
      const leaving = (async () => {
        let count = 0
        for await (const _ of stage.llm.stream(request)) if (++count === leaveAfter) break
        return stage.adapter.requests.length
      })()
      await stage.clock.runAll()
      expect(stage.adapter.requests).toHaveLength(await leaving)
      expect(stage.clock.pending).toBe(0)
    })
    await fc.assert(property, { numRuns: 200 })
  })
})

async function* replayOf(chunks: readonly StreamChunk[]): AsyncGenerator<StreamChunk> {
  yield* chunks
}

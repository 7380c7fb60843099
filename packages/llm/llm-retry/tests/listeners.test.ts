import type { Context } from 'dsh-context'
import { type GenerateOptions, type StreamChunk, StreamPriority, tapStream, use } from 'dsh-llm'
import { collectChunks } from 'dsh-llm-testkit'
import { describe, expect, it } from 'vitest'
import { createStage, fails, readAll, request, toWords } from './support/retry-stage.ts'

type Next = () => AsyncIterable<StreamChunk>
type Listener = (request: GenerateOptions, next: Next) => AsyncIterable<StreamChunk>

function listens(listener: Listener, priority: number = StreamPriority.limit) {
  return use((ctx: Context): void => void ctx.on('llm/stream', listener, { priority }))
}

const hello = ['start 0 text', '"Hi"', 'end 0', 'finish stop']

describe('retry and a listener further in', () => {
  it('passes on what the listener throws and does not run it again', async () => {
    let calls = 0
    const broken = listens(async function* () {
      calls += 1
      throw new TypeError('a bug')
    })
    await using stage = await createStage([], { plugins: [broken] })
    stage.ctx.on('internal/error', () => {})
    await expect(collectChunks(stage.llm.stream(request))).rejects.toThrow('a bug')
    expect(calls).toBe(1)
  })

  it('passes on what the listener throws in the second attempt', async () => {
    let calls = 0
    const breaking = listens((_, next) => {
      calls += 1
      if (calls === 2) throw new TypeError('a bug')
      return next()
    })
    await using stage = await createStage([fails('SERVER')], { plugins: [breaking] })
    stage.ctx.on('internal/error', () => {})
    const reading = collectChunks(stage.llm.stream(request))
    const outcome = expect(reading).rejects.toThrow('a bug')
    await stage.clock.runAll()
    await outcome
    expect([stage.adapter.requests.length, stage.clock.pending]).toEqual([1, 0])
  })

  it('passes on what the clean-up of a failed attempt throws, and makes no other', async () => {
    const messy = listens(async function* (_, next) {
      yield* next()
      throw new TypeError('a messy end')
    })
    await using stage = await createStage([fails('SERVER')], { plugins: [messy] })
    stage.ctx.on('internal/error', () => {})
    const reading = collectChunks(stage.llm.stream(request))
    const outcome = expect(reading).rejects.toThrow('a messy end')
    await stage.clock.runAll()
    await outcome
    expect([stage.adapter.requests.length, stage.clock.pending]).toEqual([1, 0])
  })

  it('lets the listener clean up before the next attempt enters it', async () => {
    const log: string[] = []
    const slots = listens(async function* (_, next) {
      log.push('in')
      try {
        yield* next()
      } finally {
        log.push('out')
      }
    })
    await using stage = await createStage([fails('SERVER'), { text: 'Hi' }], { plugins: [slots] })
    await readAll(stage)
    expect(log).toEqual(['in', 'out', 'in', 'out'])
  })

  it('drops what it holds back when the listener begins afresh', async () => {
    const rerunning = listens(async function* (_, next) {
      yield { type: 'block-start', index: 0, blockType: 'text' }
      const [finish] = fails('SERVER')
      if (finish?.type !== 'finish' || finish.reason.kind !== 'error') throw new Error('no failure')
      yield { type: 'attempt', attempt: 2, failure: finish.reason.failure, delayMs: 0 }
      yield* next()
    })
    await using stage = await createStage([{ text: 'Hi' }], { plugins: [rerunning] })
    expect(toWords(await readAll(stage))).toEqual(['attempt 2 SERVER 0', ...hello])
  })
})

describe('retry and a listener further out', () => {
  it('shows it every attempt', async () => {
    const seen: StreamChunk[] = []
    const tap = listens((_, next) => tapStream(next(), (chunk) => seen.push(chunk)), StreamPriority.observe)
    await using stage = await createStage([fails('SERVER'), { text: 'Hi' }], { plugins: [tap] })
    await readAll(stage)
    expect(toWords(seen)).toEqual(['attempt 2 SERVER 500', ...hello])
  })

  it('answers pulls that do not wait for each other in order', async () => {
    const hasty = listens(async function* (_, next) {
      const iterator = next()[Symbol.asyncIterator]()
      const pulls = await Promise.all(Array.from({ length: 7 }, () => iterator.next()))
      for (const { done, value } of pulls) if (done !== true) yield value
    }, StreamPriority.cache)
    await using stage = await createStage([fails('SERVER'), { text: 'Hi' }], { plugins: [hasty] })
    expect(toWords(await readAll(stage))).toEqual(['attempt 2 SERVER 500', ...hello])
  })
})

import { describe, expect, it } from 'vitest'
import type { StreamChunk } from '../src/index.ts'
import { failed, says, stream } from './support/chunks.ts'
import { FunctionAdapter } from './support/function-adapter.ts'
import { ask, startTestLlm, type StreamListener } from './support/test-llm.ts'

describe('A listener behind its finish (L7)', () => {
  it('has cleaned up before a reader that calls next() again inside its loop gets the second stream', async () => {
    const adapter = new FunctionAdapter(() =>
      stream(...(adapter.requests.length === 1 ? [failed('SERVER')] : says('ok'))),
    )
    const { llm, own, listen } = await startTestLlm()
    await own('plugin', ['p'], adapter)
    let held = 0
    const most: number[] = []
    const reroute: StreamListener = async function* (_request, next): AsyncGenerator<StreamChunk> {
      for await (const chunk of next()) {
        if (chunk.type === 'finish' && chunk.reason.kind === 'error') return yield* next()
        yield chunk
      }
    }
    const limit: StreamListener = async function* (_request, next): AsyncGenerator<StreamChunk> {
      held += 1
      most.push(held)
      try {
        yield* next()
      } finally {
        held -= 1
      }
    }
    listen('reroute', reroute, 1)
    listen('limit', limit)
    expect((await llm.generate(ask())).text).toBe('ok')
    expect([most, held]).toEqual([[1, 1], 0])
  })

  it('cleans up although the reader stops at the finish and never asks again', async () => {
    const { llm, own, listen } = await startTestLlm()
    await own('plugin', ['p'], new FunctionAdapter(() => stream(...says('ok'))))
    const cleaned = Promise.withResolvers<string>()
    const listener: StreamListener = async function* (_request, next): AsyncGenerator<StreamChunk> {
      try {
        yield* next()
      } finally {
        cleaned.resolve('cleaned')
      }
    }
    listen('listener', listener)
    const iterator = llm.stream(ask())[Symbol.asyncIterator]()
    for (let done = false; !done;) done = (await iterator.next()).value?.type === 'finish'
    expect(await cleaned.promise).toBe('cleaned')
  })

  it('keeps no reader longer than cleanupMs when its clean-up never ends', async () => {
    const { llm, clock, listen } = await startTestLlm(() => stream(...says('ok')))
    const listener: StreamListener = async function* (_request, next): AsyncGenerator<StreamChunk> {
      yield* next()
      await new Promise(() => {})
    }
    listen('listener', listener)
    const iterator = llm.stream(ask())[Symbol.asyncIterator]()
    for (let done = false; !done;) done = (await iterator.next()).value?.type === 'finish'
    const end = iterator.next()
    await clock.advance(1_000)
    expect(await end).toEqual({ done: true, value: undefined })
    expect(clock.pending).toBe(0)
  })
})

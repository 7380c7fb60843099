import { createFailure, type StreamChunk } from 'dsh-llm'
import { streamArbitraries } from 'dsh-llm-testkit/fast-check'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { openStage, TestFile, toRequest } from './support/stage.ts'

const failed: StreamChunk = {
  type: 'finish',
  reason: {
    kind: 'error',
    failure: createFailure('too fast', 'RATE_LIMIT', { status: 429, providerRetryAfterMs: 7 }),
  },
}
const streams = fc
  .tuple(streamArbitraries().legal, fc.constantFrom('whole', 'fails', 'cut', 'left'))
  .map(([chunks, outcome]) => ({
    chunks: outcome === 'fails' ? [...chunks.slice(0, -1), failed] : chunks,
    outcome,
  }))
const requests = [toRequest('hi'), toRequest('ho', { sessionId: 's1', temperature: -0 })]

describe('record then replay', () => {
  it('is the identity for any legal stream and any outcome, and records the same bytes twice', async () => {
    await fc.assert(
      fc.asyncProperty(streams, streams, async (...both) => {
        using file = new TestFile()
        using again = new TestFile()
        const script = both.map(({ chunks, outcome }) =>
          outcome === 'cut' ? { chunks, end: 'cut' as const } : { chunks },
        )
        const run = async (path: string, mode: 'record' | 'replay'): Promise<StreamChunk[][]> => {
          await using stage = await openStage({ file: path, mode }, mode === 'record' ? { script } : {})
          const read = async (at: number): Promise<StreamChunk[]> => {
            const kept: StreamChunk[] = []
            const request = requests[at] ?? toRequest('hi')
            for await (const chunk of stage.llm.stream(request)) {
              kept.push(chunk)
              if (both[at]?.outcome === 'left') break
            }
            return kept
          }
          const answers = [await read(0), await read(1)]
          if (mode === 'replay') stage.ctx.llmReplay.assertConsumed()
          return answers
        }
        const recorded = await run(file.path, 'record')
        const replayed = await run(file.path, 'replay')
        expect(replayed).toEqual(recorded)
        await run(again.path, 'record')
        expect(again.text).toBe(file.text)
      }),
      { numRuns: 60 },
    )
  })

  it('assembles to the same answer', async () => {
    const steps = streams.filter(({ outcome }) => outcome === 'whole' || outcome === 'fails')
    await fc.assert(
      fc.asyncProperty(steps, async ({ chunks }) => {
        using file = new TestFile()
        const generate = async (mode: 'record' | 'replay'): Promise<object> => {
          const script = mode === 'record' ? [{ chunks }] : undefined
          await using stage = await openStage({ file: file.path, mode }, { script })
          const { message, ...rest } = await stage.llm.generate(toRequest('hi'))
          return { ...rest, content: message?.content, source: message?.source }
        }
        expect(await generate('record')).toEqual(await generate('replay'))
      }),
      { numRuns: 60 },
    )
  })
})

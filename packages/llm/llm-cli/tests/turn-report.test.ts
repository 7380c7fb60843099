import {
  CallId,
  type CollectedAnswer,
  createFailure,
  FinishOutcome,
  type StreamChunk,
  type TokenUsage,
} from 'dsh-llm'
import { describe, expect, it } from 'vitest'
import { TurnMeter } from '../src/turn-report.ts'

const finish = new FinishOutcome({ type: 'finish', reason: { kind: 'stop' } })

function answer(usage?: TokenUsage, voidUsage?: TokenUsage): CollectedAnswer {
  const failure = createFailure('Busy', 'OVERLOADED')
  const attempts = voidUsage === undefined ? [] : [{ failure, delayMs: 0, usage: voidUsage }]
  return { text: '', partial: [], finish, usage, attempts }
}

function measure(...chunks: StreamChunk[]): number | undefined {
  let now = 1_000
  const meter = new TurnMeter(() => now)
  for (const chunk of chunks) {
    now += 100
    meter.chunk(chunk)
  }
  return meter.report(finish).firstContentMs
}

describe('TurnMeter', () => {
  it('measures until the first reasoning, text or call that is not empty', () => {
    const start: StreamChunk = { type: 'block-start', index: 0, blockType: 'reasoning' }
    const empty: StreamChunk = { type: 'reasoning-delta', index: 0, text: '' }
    const content: StreamChunk = { type: 'reasoning-delta', index: 0, text: 'Hm' }
    const call: StreamChunk = {
      type: 'tool-call-delta',
      index: 0,
      id: CallId('c'),
      name: 'look',
      argumentsDelta: '',
    }
    expect(measure(start, empty, content, content)).toBe(300)
    expect(measure(start, { type: 'text-delta', index: 0, text: 'Yes' })).toBe(200)
    expect(measure(call)).toBe(100)
    expect(measure(start, empty)).toBeUndefined()
  })

  it('adds up all calls, void attempts included, and keeps what nobody reported absent', () => {
    const meter = new TurnMeter(() => 0)
    meter.answer(answer({ inputTokens: 10, outputTokens: 1 }, { inputTokens: 5 }))
    meter.answer(answer({ inputTokens: 20, cacheReadTokens: 64 }))
    meter.answer(answer())
    expect(meter.report(finish)).toMatchObject({ calls: 3 })
    const { usage } = meter.report(finish)
    expect(usage).toMatchObject({ inputTokens: 35, outputTokens: 1, cacheReadTokens: 64 })
    expect(usage.reasoningTokens).toBeUndefined()
  })
})

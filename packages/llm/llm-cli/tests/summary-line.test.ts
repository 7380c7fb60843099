import { createFailure, FinishOutcome, type FinishReason } from 'dsh-llm'
import { describe, expect, it } from 'vitest'
import { formatSeconds, toSummaryLine } from '../src/summary-line.ts'
import type { TurnReport } from '../src/turn-report.ts'

function summarise(report: Partial<TurnReport>, reason: FinishReason = { kind: 'stop' }): string {
  const finish = new FinishOutcome({ type: 'finish', reason })
  return toSummaryLine({ finish, calls: 1, usage: {}, ...report })
}

describe('toSummaryLine', () => {
  it('shows input whole, with its cached part, and output with its reasoning part', () => {
    const usage = {
      inputTokens: 1_000,
      cacheReadTokens: 448,
      cacheWriteTokens: 2,
      outputTokens: 98,
      reasoningTokens: 40,
    }
    expect(summarise({ usage, calls: 2, firstContentMs: 12_345 })).toBe(
      'stop · 2 calls · 1,450 tokens in (448 cached) · 98 out (40 reasoning) · first content after 12.3 s',
    )
  })

  it('leaves out what is unknown, and keeps a zero that is known', () => {
    expect(summarise({})).toBe('stop')
    expect(summarise({ usage: { cacheReadTokens: 0, outputTokens: 0 } })).toBe(
      'stop · 0 tokens in (0 cached) · 0 out',
    )
  })

  it('names the code of a failure', () => {
    const failure = createFailure('No', 'AUTH')
    expect(summarise({}, { kind: 'error', failure })).toBe('error AUTH')
  })
})

describe('formatSeconds', () => {
  it.each([
    [0, '0 s'],
    [340, '0.34 s'],
    [1_500, '1.5 s'],
    [12_345, '12.3 s'],
    [60_000, '60 s'],
  ])('writes %i ms as %s', (milliseconds, seconds) => {
    expect(formatSeconds(milliseconds)).toBe(seconds)
  })
})

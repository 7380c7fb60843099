import { createFailure } from 'dsh-llm'
import { describe, expect, it } from 'vitest'
import { delayAfter } from '../src/delay.ts'
import { DEFAULT_RETRY_POLICY } from '../src/index.ts'

describe('delayAfter', () => {
  it.each([
    [0, 1, 0],
    [0, 1_025, 0],
    [0, 10_000, 0],
    [500, 1_025, 30_000],
    [500, 10_000, 30_000],
  ])('is a number with %d ms at first after %d failures', (initialDelayMs, failures, delayMs) => {
    const policy = { ...DEFAULT_RETRY_POLICY, initialDelayMs }
    expect(delayAfter(createFailure('no', 'SERVER'), failures, { policy, random: () => 1 })).toBe(delayMs)
  })
})

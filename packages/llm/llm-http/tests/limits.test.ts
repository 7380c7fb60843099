import { describe, expect, it } from 'vitest'
import { type HttpLimits, postEventStream, resolveLimits } from '../src/index.ts'
import { startLoopback, whole } from './support/loopback-server.ts'
import { failureOf } from './support/read-all.ts'

describe('resolveLimits', () => {
  it.each<[keyof HttpLimits, number]>([
    ['idleBytesMs', -1],
    ['idleBytesMs', NaN],
    ['totalMs', Infinity],
    ['maxEventBytes', 0],
    ['maxErrorBodyBytes', -5],
  ])('refuses %s = %d, naming it', (name, value) => {
    expect(() => resolveLimits({ [name]: value })).toThrow(new RegExp(`${name} .* not ${value}`))
  })

  it('lets a time limit of 0 stand, which is none', () => {
    expect(resolveLimits({ totalMs: 0 }).totalMs).toBe(0)
  })
})

describe('a time limit longer than any timer', () => {
  it('is no timer that fires at once, as platforms have it beyond 31 bits', async () => {
    await using server = await startLoopback(whole(400, {}, 'no'))
    const delays: number[] = []
    const clock = {
      now: () => 0,
      schedule: (_callback: () => void, delayMs: number) => {
        delays.push(delayMs)
        return () => {}
      },
    }
    const limits = { errorBodyMs: 1e12, connectMs: 1e12, firstContentMs: 1e12, totalMs: 1e12 }
    const fault = await failureOf(postEventStream({ url: server.url, body: '{}', limits, clock }))
    expect(fault.code).toBe('INVALID_REQUEST')
    expect([delays.length > 1, Math.max(...delays)]).toEqual([true, 2 ** 31 - 1])
  })
})

import { describe, expect, it } from 'vitest'
import { resolveLimits } from '../src/index.ts'
import { type TimeLimit, Watchdog } from '../src/watchdog.ts'
import { ManualClock } from './support/manual-clock.ts'

function setUp(limits: Parameters<typeof resolveLimits>[0] = {}, tellsConnect = true) {
  const clock = new ManualClock()
  const expired: TimeLimit[] = []
  const onExpire = (limit: TimeLimit): void => void expired.push(limit)
  const watchdog = new Watchdog({ limits: resolveLimits(limits), clock, tellsConnect, onExpire })
  return { clock, expired, watchdog }
}

const second = 1000

describe('Watchdog', () => {
  it('gives up a connection that does not stand in time', () => {
    const { clock, expired, watchdog } = setUp()
    watchdog.startWait()
    clock.advance(30 * second - 1)
    expect(expired).toEqual([])
    clock.advance(1)
    expect(expired).toEqual(['connectMs'])
  })

  it('does not watch the connection of a transport that cannot tell', () => {
    const { clock, expired, watchdog } = setUp({}, false)
    watchdog.startWait()
    clock.advance(600 * second)
    expect(expired).toEqual(['firstContentMs'])
  })

  it('counts headers and first content together, whatever bytes come', () => {
    const { clock, expired, watchdog } = setUp()
    watchdog.startWait()
    watchdog.connected()
    clock.advance(300 * second)
    watchdog.endWait(false)
    for (let waited = 300; waited < 600; waited += 20) {
      watchdog.startWait()
      clock.advance(20 * second)
      watchdog.endWait(true)
    }
    watchdog.startWait()
    clock.advance(1)
    expect(expired).toEqual(['firstContentMs'])
  })

  it('waits for the first content when headers came early and nothing after them', () => {
    const { clock, expired, watchdog } = setUp({}, false)
    watchdog.startWait()
    watchdog.endWait(false)
    watchdog.startWait()
    clock.advance(599 * second)
    expect(expired).toEqual([])
  })

  it('tells silence from keep-alives without content', () => {
    const silent = setUp({}, false)
    silent.watchdog.startWait()
    silent.watchdog.endWait(true)
    silent.watchdog.sawContent()
    silent.watchdog.startWait()
    silent.clock.advance(120 * second)
    expect(silent.expired).toEqual(['idleBytesMs'])

    const chatty = setUp({}, false)
    chatty.watchdog.sawContent()
    for (let waited = 0; waited < 320; waited += 20) {
      chatty.watchdog.startWait()
      chatty.clock.advance(20 * second)
      chatty.watchdog.endWait(true)
    }
    expect(chatty.expired).toEqual(['idleContentMs'])
  })

  it('never blames a slow consumer', () => {
    const { clock, expired, watchdog } = setUp({}, false)
    for (let read = 0; read < 10; read++) {
      watchdog.startWait()
      clock.advance(1)
      watchdog.endWait(true)
      watchdog.sawContent()
      clock.advance(3600 * second)
    }
    expect(expired).toEqual([])
  })

  it('bounds the whole call even while nobody reads', () => {
    const { clock, expired, watchdog } = setUp({ totalMs: 50 }, false)
    watchdog.startWait()
    watchdog.endWait(true)
    clock.advance(50)
    expect(expired).toEqual(['totalMs'])
  })

  it('takes 0 for no limit at all', () => {
    const off = { connectMs: 0, firstContentMs: 0, idleBytesMs: 0, idleContentMs: 0, totalMs: 0 }
    const { clock, expired, watchdog } = setUp(off)
    watchdog.startWait()
    clock.advance(1e12)
    expect([expired, clock.timerCount]).toEqual([[], 0])
  })

  it('sets one timer for a thousand reads', () => {
    const { clock, watchdog } = setUp({}, false)
    for (let read = 0; read < 1000; read++) {
      watchdog.startWait()
      clock.advance(10)
      watchdog.endWait(true)
      watchdog.sawContent()
    }
    expect(clock.scheduledCount).toBeLessThanOrEqual(3)
    watchdog.stop()
    expect(clock.timerCount).toBe(0)
  })

  it('survives limits longer than the longest timer', () => {
    const { clock, expired, watchdog } = setUp({ firstContentMs: 5_000_000_000 }, false)
    watchdog.startWait()
    clock.advance(4_999_999_999)
    expect(expired).toEqual([])
    clock.advance(1)
    expect(expired).toEqual(['firstContentMs'])
  })
})

describe('resolveLimits', () => {
  it.each([-1, NaN])('refuses %s', (value) => {
    expect(() => resolveLimits({ idleBytesMs: value })).toThrow(/idleBytesMs/)
  })
})

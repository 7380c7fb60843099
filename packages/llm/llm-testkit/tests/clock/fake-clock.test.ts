import { abortable, createLlm, createUserMessage, LlmError, type StreamChunk, StreamPriority } from 'dsh-llm'
import { describe, expect, it } from 'vitest'
import { fakeClock, ScriptedAdapter, startProviderServer } from '../../src/index.ts'

describe('fakeClock', () => {
  it('runs timers in order of time, each at its own moment', async () => {
    const clock = fakeClock()
    const seen: string[] = []
    const note = (name: string) => () => void seen.push(`${name} at ${clock.now()}`)
    clock.schedule(note('late'), 30)
    clock.schedule(note('early'), 10)
    clock.schedule(note('early too'), 10)
    await clock.advance(20)
    expect([seen, clock.now(), clock.pending]).toEqual([['early at 10', 'early too at 10'], 20, 1])
    await clock.advance(10)
    expect(seen.at(-1)).toBe('late at 30')
  })

  it('runs what a timer schedules for within the same stretch', async () => {
    const clock = fakeClock()
    let ticks = 0
    const tick = (): void => {
      ticks += 1
      clock.schedule(tick, 10)
    }
    clock.schedule(tick, 10)
    await clock.advance(35)
    expect([ticks, clock.pending]).toEqual([3, 1])
  })

  it('runs none that was cancelled', async () => {
    const clock = fakeClock()
    let ran = false
    const cancel = clock.schedule(() => void (ran = true), 5)
    cancel()
    expect(clock.pending).toBe(0)
    await clock.advance(10)
    expect(ran).toBe(false)
  })

  it('lets what waited for a timer go on before the next one', async () => {
    const clock = fakeClock()
    const order: string[] = []
    const wait = async (ms: number): Promise<void> => {
      await new Promise<void>((resolve) => clock.schedule(resolve, ms))
      await Promise.resolve()
      order.push(`${ms}`)
    }
    const both = [wait(1), wait(2)]
    clock.schedule(() => void order.push('timer at 2'), 2)
    await clock.advance(2)
    await Promise.all(both)
    expect(order).toEqual(['1', '2', 'timer at 2'])
  })

  it('runAll moves on until nothing waits', async () => {
    const clock = fakeClock()
    clock.schedule(() => void clock.schedule(() => {}, 1_000), 500)
    await clock.runAll()
    expect([clock.now(), clock.pending]).toEqual([1_500, 0])
  })

  it('runAll refuses what schedules without an end', async () => {
    const clock = fakeClock()
    const again = (): void => void clock.schedule(again, 1)
    again()
    await expect(clock.runAll()).rejects.toThrow('10000 have run')
  })

  it('its sleep ends with the signal and leaves no timer', async () => {
    const clock = fakeClock()
    const controller = new AbortController()
    const sleeping = clock.sleep(10, controller.signal)
    controller.abort(new Error('enough'))
    await expect(sleeping).rejects.toThrow('enough')
    await expect(clock.sleep(10, controller.signal)).rejects.toThrow('enough')
    expect(clock.pending).toBe(0)
  })

  it('paces a provider server', async () => {
    const clock = fakeClock()
    await using server = await startProviderServer({
      script: [{ chunks: ['a', 'b'], delaysMs: 1_000 }],
      sleep: clock.sleep,
      now: clock.now,
    })
    const text = fetch(server.url).then((response) => response.text())
    const request = await server.waitForRequest()
    await request.when(({ state }) => state === 'answering')
    while (request.state !== 'ended') {
      await clock.advance(1_000)
      await new Promise((resolve) => setImmediate(resolve))
    }
    expect([await text, request.receivedAt]).toEqual(['ab', 0])
  })

  it('drives a wait of a listener between two scripted runs', async () => {
    const clock = fakeClock()
    const adapter = new ScriptedAdapter([{ throws: new LlmError('busy', 'SERVER') }, { text: 'now' }], {
      clock,
    })
    await using app = await createLlm({ runtime: { clock } })
    app.ctx.llm.registerAdapter(['p'], adapter)
    app.ctx.on(
      'llm/stream',
      async function* ({ signal }, next): AsyncGenerator<StreamChunk> {
        for await (const chunk of next()) void chunk
        await abortable(new Promise<void>((resolve) => clock.schedule(resolve, 60_000)), signal)
        yield* next()
      },
      { priority: StreamPriority.retry },
    )
    const answer = app.llm.generate({ provider: 'p', model: 'm', messages: [createUserMessage('Hi')] })
    await clock.runAll()
    expect([(await answer).text, clock.now(), adapter.requests.length]).toEqual(['now', 60_000, 2])
  })

  it.each([-1, Number.NaN, Infinity])('refuses to move by %d ms', async (ms) => {
    const clock = fakeClock()
    await expect(clock.advance(ms)).rejects.toThrow(`Could not move the clock by ${ms} ms`)
    expect(clock.now()).toBe(0)
  })

  it.each([Number.NaN, Infinity])('refuses a timer in %d ms, which would hide all others', (ms) => {
    expect(() => fakeClock().schedule(() => {}, ms)).toThrow(`Could not set a timer in ${ms} ms`)
  })

  it('makes one move after the other, those that a timer asks for too', async () => {
    const clock = fakeClock()
    const seen: string[] = []
    const note = (name: string): void => void seen.push(`${name} at ${clock.now()}`)
    let inner: Promise<void> | undefined
    clock.schedule(() => {
      inner = clock.advance(20).then(() => note('inner'))
    }, 10)
    const [first, second] = [clock.advance(30), clock.advance(5)]
    await first.then(() => note('first'))
    await second.then(() => note('second'))
    await inner
    expect(seen).toEqual(['first at 30', 'second at 35', 'inner at 55'])
  })

  it('goes on after a timer that throws, whose move it ends', async () => {
    const clock = fakeClock()
    let ran = 0
    clock.schedule(() => {
      throw new Error('in a timer')
    }, 1)
    clock.schedule(() => (ran += 1), 2)
    await expect(clock.advance(10)).rejects.toThrow('in a timer')
    await clock.advance(10)
    expect([ran, clock.now()]).toEqual([1, 11])
  })

  it('refuses what schedules for the same moment without an end', async () => {
    const clock = fakeClock()
    const again = (): void => void clock.schedule(again, 0)
    again()
    await expect(clock.advance(1)).rejects.toThrow('something schedules without a delay')
  })
})

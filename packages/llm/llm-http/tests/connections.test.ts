import { describe, expect, it } from 'vitest'
import { postEventStream } from '../src/index.ts'
import { events, openEvents, startLoopback, whole } from './support/loopback-server.ts'
import { ManualClock } from './support/manual-clock.ts'
import { failureOf, readAll } from './support/read-all.ts'
import { transports } from './support/transports.ts'

describe.each(transports)('connections of the %s', (_name, options) => {
  const nextTick = () => new Promise((resolve) => setImmediate(resolve))

  it('are reused after a stream that was read to its end', async () => {
    await using server = await startLoopback(events('data: 1\n\n', 'data: [DONE]\n\n'))
    for (let call = 0; call < 3; call++) {
      await readAll(await postEventStream({ url: server.url, body: '{}', ...options }))
      await nextTick()
    }
    expect(new Set(server.requests.map((request) => request.socket)).size).toBe(1)
  })

  it('are reused after finish when the answer ends by itself', async () => {
    await using server = await startLoopback(events('data: [DONE]\n\n'))
    for (let call = 0; call < 3; call++) {
      const clock = new ManualClock()
      const stream = await postEventStream({ url: server.url, body: '{}', clock, ...options })
      await stream.read()
      stream.finish()
      while (clock.timerCount > 0) await nextTick()
      await nextTick()
    }
    expect(new Set(server.requests.map((request) => request.socket)).size).toBe(1)
  })

  it('are reused after an error answer', async () => {
    await using server = await startLoopback(whole(500, {}, 'no'))
    for (let call = 0; call < 2; call++) {
      await failureOf(postEventStream({ url: server.url, body: '{}', ...options }))
      await nextTick()
    }
    expect(new Set(server.requests.map((request) => request.socket)).size).toBe(1)
  })

  it('are closed after finish when the server keeps the answer open', async () => {
    const clock = new ManualClock()
    await using server = await startLoopback(openEvents('data: [DONE]\n\n'))
    const stream = await postEventStream({ url: server.url, body: '{}', clock, ...options })
    await stream.read()
    stream.finish()
    expect(await stream.read()).toBeUndefined()
    clock.advance(200)
    await server.requests[0]?.closed
    expect(clock.timerCount).toBe(0)
  })

  it('are one for each of many calls at the same time', async () => {
    await using server = await startLoopback(events('data: 1\n\n'))
    const calls = Array.from({ length: 50 }, async () => {
      const stream = await postEventStream({ url: server.url, body: '{}', ...options })
      return await readAll(stream)
    })
    expect((await Promise.all(calls)).flat()).toHaveLength(50)
  })
})

import { describe, expect, it } from 'vitest'
import { startProviderServer } from '../../src/index.ts'
import { send } from './sockets.ts'

describe('back-pressure', () => {
  it('stops the chunks while the client does not read, and lets them go on when it does', async () => {
    const total = 4_000
    let pulled = 0
    function* flood(): Generator<string> {
      for (; pulled < total; pulled++) yield 'x'.repeat(10_000)
    }
    await using server = await startProviderServer({ script: [{ chunks: flood(), batched: true }] })
    const response = await send(server.url)
    const request = await server.waitForRequest()
    await request.when(({ paused }) => paused)
    expect(pulled).toBeLessThan(total)
    let received = 0
    for await (const part of response) received += part.length
    expect(received).toBe(total * 10_000)
    expect(await request.closed).toEqual({ by: 'server', atChunk: total })
  })

  it('ends the generator when a paused client leaves', async () => {
    const returned = Promise.withResolvers<void>()
    function* endless(): Generator<Uint8Array> {
      try {
        for (;;) yield new Uint8Array(65_536)
      } finally {
        returned.resolve()
      }
    }
    await using server = await startProviderServer({ script: [{ chunks: endless() }] })
    const response = await send(server.url)
    const request = await server.waitForRequest()
    await request.when(({ paused }) => paused)
    response.destroy()
    const end = await request.closed
    expect(end).toEqual({ by: 'client', atChunk: request.chunksWritten })
    expect(request.paused).toBe(false)
    await returned.promise
  })

  it('serves a hundred thousand batched chunks without holding them', async () => {
    function* many(): Generator<string> {
      for (let at = 0; at < 100_000; at++) yield 'data: {}\n\n'
    }
    await using server = await startProviderServer({ script: [{ chunks: many(), batched: true }] })
    const whole = await (await fetch(server.url)).text()
    expect(whole.length).toBe(1_000_000)
    expect(server.requests[0]?.chunksWritten).toBe(100_000)
  })
})

import { describe, expect, it } from 'vitest'
import { type Sleep, startProviderServer } from '../../src/index.ts'
import { reads, send } from './sockets.ts'

function recordingSleep(): { sleep: Sleep; waits: number[] } {
  const waits: number[] = []
  return { waits, sleep: async (delayMs) => void waits.push(delayMs) }
}

describe('delays', () => {
  it('come before the headers, before each chunk and before the end', async () => {
    const { sleep, waits } = recordingSleep()
    const script = [{ headersDelayMs: 70, chunks: ['a', 'b', 'c'], delaysMs: [10, 0, 30], trailingDelayMs: 90 }]
    await using server = await startProviderServer({ script, sleep })
    await (await fetch(server.url)).text()
    expect(waits).toEqual([70, 10, 30, 90])
  })

  it('given as one number hold for every chunk', async () => {
    const { sleep, waits } = recordingSleep()
    await using server = await startProviderServer({ script: [{ chunks: ['a', 'b'], delaysMs: 5 }], sleep })
    await (await fetch(server.url)).text()
    expect(waits).toEqual([5, 5])
  })

  it('hold back what comes after them', async () => {
    const { promise, resolve } = Promise.withResolvers<void>()
    const script = [{ chunks: ['a', 'b'], delaysMs: [0, 1] }]
    await using server = await startProviderServer({ script, sleep: () => promise })
    const response = await send(server.url)
    const request = await server.waitForRequest()
    await request.when(({ chunksWritten }) => chunksWritten === 1)
    expect(request.bytesWritten).toBe(1)
    resolve()
    expect((await reads(response)).join('')).toBe('ab')
  })

  it('are real timers by default', async () => {
    await using server = await startProviderServer({ script: [{ chunks: ['a', 'b'], delaysMs: 1 }] })
    expect(await (await fetch(server.url)).text()).toBe('ab')
  })

  it.each([
    ['the headers', { headersDelayMs: 3_600_000 }, 0],
    ['a chunk', { chunks: ['a', 'b'], delaysMs: [0, 3_600_000] }, 1],
    ['the end', { chunks: ['a', 'b'], trailingDelayMs: 3_600_000 }, 2],
  ])('before %s are abandoned at once when the client leaves', async (_, answer, atChunk) => {
    await using server = await startProviderServer({ script: [answer] })
    const leave = new AbortController()
    const pending = fetch(server.url, { signal: leave.signal }).then((response) => response.text())
    const request = await server.waitForRequest()
    await request.when(({ chunksWritten }) => chunksWritten === atChunk)
    leave.abort()
    await expect(pending).rejects.toThrow('aborted')
    expect(await request.closed).toEqual({ by: 'client', atChunk })
  })

  it('leave no timer behind when the server is closed', async () => {
    const count = 30
    const server = await startProviderServer({ script: () => ({ chunks: 'a', delaysMs: 3_600_000 }) })
    const responses = await Promise.all(Array.from({ length: count }, () => send(server.url)))
    const ends = responses.map((response) => expect(reads(response)).rejects.toThrow('aborted'))
    const during = timers()
    await server.close()
    await Promise.all(ends)
    expect(during - timers()).toBeGreaterThan(count / 2)
  })
})

function timers(): number {
  return process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length
}

import { once } from 'node:events'
import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { type Answer, jsonAnswer, startProviderServer } from '../../src/index.ts'
import { failureOf, reads, send } from './sockets.ts'

async function answered(answer: Answer): Promise<Response> {
  await using server = await startProviderServer({ script: [answer] })
  const response = await fetch(server.url, { redirect: 'manual' })
  const body = await response.arrayBuffer()
  return new Response(body.byteLength === 0 ? null : body, response)
}

describe('answer headers', () => {
  it('are those of an event stream by default', async () => {
    const response = await answered({})
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toBe('text/event-stream')
  })

  it('replace a default whatever their case, and undefined removes it', async () => {
    const html = await answered({ status: 502, headers: { 'Content-Type': 'text/html' }, chunks: '<h1>' })
    expect([html.status, html.headers.get('content-type')]).toEqual([502, 'text/html'])
    const bare = await answered({ headers: { 'content-type': undefined } })
    expect(bare.headers.get('content-type')).toBeNull()
  })

  it('can be repeated', async () => {
    const response = await answered({ headers: { 'set-cookie': ['a=1', 'b=2'] } })
    expect(response.headers.getSetCookie()).toEqual(['a=1', 'b=2'])
  })

  it('express redirects and compressed bodies', async () => {
    const moved = await answered({ status: 307, headers: { location: 'http://127.0.0.1:9/' } })
    expect([moved.status, moved.headers.get('location')]).toEqual([307, 'http://127.0.0.1:9/'])
    const zipped = await answered({ headers: { 'content-encoding': 'gzip' }, chunks: gzipSync('squeezed') })
    expect(await zipped.text()).toBe('squeezed')
  })
})

describe('jsonAnswer', () => {
  it('sends a JSON body and keeps the other fields', async () => {
    const response = await answered(
      jsonAnswer({ error: 'busy' }, { status: 429, headers: { 'retry-after': '2' } }),
    )
    expect(response.status).toBe(429)
    expect(response.headers.get('content-type')).toBe('application/json')
    expect(response.headers.get('retry-after')).toBe('2')
    expect(await response.json()).toEqual({ error: 'busy' })
  })
})

describe('answer chunks', () => {
  it('leave at once, text and bytes alike: each is read before the next one is made', async () => {
    const euro = new TextEncoder().encode('€')
    let heard = Promise.withResolvers<void>()
    async function* stepwise(): AsyncGenerator<string | Uint8Array> {
      for (const chunk of ['data: 1\n', euro.subarray(0, 1), euro.subarray(1), '\n\n']) {
        heard = Promise.withResolvers<void>()
        yield chunk
        await heard.promise
      }
    }
    await using server = await startProviderServer({ script: [{ chunks: stepwise() }] })
    const response = await send(server.url)
    const parts: number[] = []
    response.on('data', (part) => {
      parts.push(part.length)
      heard.resolve()
    })
    await once(response, 'end')
    expect(parts).toEqual([8, 1, 2, 2])
    expect(server.requests[0]?.bytesWritten).toBe(13)
  })

  it('may be empty without ending the body', async () => {
    await using server = await startProviderServer({ script: [{ chunks: ['', 'a', '', 'b'] }] })
    expect(await (await fetch(server.url)).text()).toBe('ab')
    expect(server.requests[0]?.chunksWritten).toBe(4)
  })

  it('may come from a generator or an async generator', async () => {
    function* sync(): Generator<string> {
      yield 'a'
      yield 'b'
    }
    async function* later(): AsyncGenerator<string> {
      yield 'c'
    }
    await using server = await startProviderServer({ script: [{ chunks: sync() }, { chunks: later() }] })
    expect(await (await fetch(server.url)).text()).toBe('ab')
    expect(await (await fetch(server.url)).text()).toBe('c')
  })

  it('that throw reset the connection and are kept in the journal', async () => {
    const failure = new Error('generator broke')
    function* broken(): Generator<string> {
      yield 'a'
      throw failure
    }
    await using server = await startProviderServer({ script: [{ chunks: broken() }] })
    expect(await failureOf(server.url)).toBe('ECONNRESET')
    expect(server.requests[0]?.failure).toBe(failure)
    expect(await server.requests[0]?.closed).toEqual({ by: 'server', atChunk: 1 })
  })
})

describe('answer end', () => {
  it('close completes the body and keeps the connection', async () => {
    await using server = await startProviderServer({ script: [{ chunks: 'a' }] })
    const response = await fetch(server.url)
    expect(await response.text()).toBe('a')
    expect(await server.requests[0]?.closed).toEqual({ by: 'server', atChunk: 1 })
    expect(server.openConnections).toBe(1)
  })

  it('cut closes the connection in the middle of the body', async () => {
    await using server = await startProviderServer({ script: [{ chunks: 'a', end: 'cut' }] })
    const response = await send(server.url)
    await expect(reads(response)).rejects.toThrow('aborted')
    expect(await server.requests[0]?.closed).toEqual({ by: 'server', atChunk: 1 })
  })

  it('reset sends everything, then a reset', async () => {
    const { promise, resolve } = Promise.withResolvers<void>()
    await using server = await startProviderServer({
      script: [{ chunks: ['a', 'b'], end: 'reset', trailingDelayMs: 1 }],
      sleep: () => promise,
    })
    const response = await send(server.url)
    let received = ''
    response.on('data', (part) => {
      received += String(part)
      if (received === 'ab') resolve()
    })
    await expect(once(response, 'end')).rejects.toMatchObject({ code: 'ECONNRESET' })
    expect(received).toBe('ab')
    expect(await server.requests[0]?.closed).toEqual({ by: 'server', atChunk: 2 })
  })

  it('hang keeps the connection open until the client leaves', async () => {
    await using server = await startProviderServer({ script: [{ chunks: ['a', 'b'], end: 'hang' }] })
    const leave = new AbortController()
    await fetch(server.url, { signal: leave.signal })
    const request = await server.waitForRequest()
    await request.when(({ chunksWritten }) => chunksWritten === 2)
    expect(request.state).toBe('answering')
    leave.abort()
    expect(await request.closed).toEqual({ by: 'client', atChunk: 2 })
    expect(request.state).toBe('ended')
  })
})

describe('raw answers', () => {
  it('put their bytes on the socket as they are', async () => {
    const bytes = 'HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nshort'
    await using server = await startProviderServer({ script: [{ raw: true, chunks: bytes }] })
    const response = await send(server.url)
    expect(response.headers).toEqual({ 'content-length': '9' })
    await expect(reads(response)).rejects.toThrow('aborted')
  })

  it.each(['close', 'cut', 'reset'] as const)(
    'without chunks and with %s drop the connection unanswered',
    async (end) => {
      await using server = await startProviderServer({ script: [{ raw: true, end }] })
      expect(await failureOf(server.url)).toBe('ECONNRESET')
    },
  )

  it('without chunks and with hang never answer', async () => {
    await using server = await startProviderServer({ script: [{ raw: true, end: 'hang' }] })
    const leave = new AbortController()
    const pending = fetch(server.url, { signal: leave.signal })
    const request = await server.waitForRequest()
    leave.abort()
    await expect(pending).rejects.toThrow('aborted')
    expect(await request.closed).toEqual({ by: 'client', atChunk: 0 })
  })
})

import { once } from 'node:events'
import { Agent, request } from 'node:http'
import { describe, expect, it } from 'vitest'
import { startProviderServer } from '../../src/index.ts'
import { reads, send } from './sockets.ts'

describe('requests', () => {
  it('keep what arrived: method, path, query, headers, body and its JSON', async () => {
    await using server = await startProviderServer({ script: () => ({}), now: () => 1_234 })
    await fetch(`${server.url}/v1/chat?beta=1&x=a%20b?`, {
      method: 'POST',
      headers: { 'User-Agent': 'demo/1.0', 'content-type': 'application/json' },
      body: '{"model":"größe"}',
    })
    const received = await server.waitForRequest()
    expect(received).toMatchObject({
      method: 'POST',
      url: '/v1/chat?beta=1&x=a%20b?',
      path: '/v1/chat',
      body: '{"model":"größe"}',
      json: { model: 'größe' },
      receivedAt: 1_234,
      index: 0,
      answerIndex: 0,
    })
    expect(received.headers['user-agent']).toBe('demo/1.0')
    expect([...received.query]).toEqual([
      ['beta', '1'],
      ['x', 'a b?'],
    ])
  })

  it('find the path in the whole URL that a proxy is sent', async () => {
    await using server = await startProviderServer({ routes: { '/v1/chat': [{}] } })
    const outgoing = request(server.url, { path: 'http://api.example/v1/chat?a=1', agent: false }).end()
    await once(outgoing, 'response')
    expect(server.requests[0]).toMatchObject({
      url: 'http://api.example/v1/chat?a=1',
      path: '/v1/chat',
      answerIndex: 0,
    })
  })

  it('have no JSON when the body is none', async () => {
    await using server = await startProviderServer({ script: () => ({}) })
    await fetch(server.url, { method: 'POST', body: '{"cut' })
    expect(server.requests[0]?.json).toBeUndefined()
    expect(server.requests[0]?.body).toBe('{"cut')
  })

  it('leave out one whose body the client never finished', async () => {
    await using server = await startProviderServer({ script: () => ({}) })
    const outgoing = request(server.url, { method: 'POST', agent: false, headers: { 'content-length': '30' } })
    outgoing.write('half of it')
    await once(outgoing, 'socket')
    outgoing.destroy()
    await expect(once(outgoing, 'close')).rejects.toThrow('socket hang up')
    await (await fetch(server.url)).text()
    expect(server.requests.map(({ method }) => method)).toEqual(['GET'])
  })

  it('number their connections, so reuse can be seen', async () => {
    await using server = await startProviderServer({ script: () => ({ chunks: 'a' }) })
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    await reads(await send(server.url, { agent }))
    await reads(await send(server.url, { agent }))
    await reads(await send(server.url))
    agent.destroy()
    expect(server.requests.map(({ connection }) => connection)).toEqual([0, 0, 1])
    expect(server.connectionCount).toBe(2)
  })

  it('abort their signal when the exchange is over', async () => {
    await using server = await startProviderServer({ script: () => ({ end: 'hang' }) })
    const leave = new AbortController()
    await fetch(server.url, { signal: leave.signal })
    const received = await server.waitForRequest()
    expect(received.signal.aborted).toBe(false)
    leave.abort()
    await received.closed
    expect(received.signal.aborted).toBe(true)
  })
})

describe('when', () => {
  it('rejects when the exchange ends without the condition, also if it has ended already', async () => {
    await using server = await startProviderServer({ script: [{ chunks: ['a', 'b'] }] })
    await (await fetch(server.url)).text()
    const received = await server.waitForRequest()
    await received.closed
    const text = 'The exchange was ended by the server after 2 chunks, before the awaited condition held'
    await expect(received.when(() => false)).rejects.toThrow(text)
    await expect(received.when(({ state }) => state === 'ended')).resolves.toBeUndefined()
  })
})

describe('waitForRequest', () => {
  it('gives a request that has come, or that is still to come', async () => {
    await using server = await startProviderServer({ script: () => ({}) })
    const second = server.waitForRequest(1)
    await (await fetch(`${server.url}/a`)).text()
    expect((await server.waitForRequest(0)).path).toBe('/a')
    await (await fetch(`${server.url}/b`)).text()
    expect((await second).path).toBe('/b')
  })

  it('rejects once the server is closed', async () => {
    const server = await startProviderServer({ script: [] })
    const first = server.waitForRequest()
    const closing = server.close()
    await expect(first).rejects.toThrow('Request 0 never came: the server was closed after 0 requests')
    await closing
    await expect(server.waitForRequest(3)).rejects.toThrow('Request 3 never came')
  })
})

describe('close', () => {
  it('destroys hanging exchanges, abandons their waits and may be called again', async () => {
    const server = await startProviderServer({
      script: [{ chunks: 'a', end: 'hang' }, { headersDelayMs: 3_600_000 }],
    })
    const hanging = await send(server.url)
    const delayed = expect(send(server.url)).rejects.toMatchObject({ code: 'ECONNRESET' })
    const requests = [await server.waitForRequest(0), await server.waitForRequest(1)]
    const read = expect(hanging.toArray()).rejects.toThrow('aborted')
    await requests[0]?.when(({ chunksWritten }) => chunksWritten === 1)
    await Promise.all([server.close(), server.close()])
    await Promise.all([read, delayed])
    expect(await Promise.all(requests.map(({ closed }) => closed))).toEqual([
      { by: 'server', atChunk: 1 },
      { by: 'server', atChunk: 0 },
    ])
    expect(server.openConnections).toBe(0)
    await expect(fetch(server.url)).rejects.toThrow('fetch failed')
  })

  it('leaves finished exchanges as they ended', async () => {
    const server = await startProviderServer({ script: () => ({ end: 'hang' }) })
    const response = await send(server.url)
    const received = await server.waitForRequest()
    response.destroy()
    await received.closed
    await server.close()
    expect(await received.closed).toEqual({ by: 'client', atChunk: 0 })
  })
})

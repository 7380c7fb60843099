import type { ServerResponse } from 'node:http'
import { type AddressInfo, createServer } from 'node:net'
import { describe, expect, it } from 'vitest'
import { type EventStreamRequest, postEventStream } from '../src/index.ts'
import { type Answer, events, openEvents, startLoopback } from './support/loopback-server.ts'
import { ManualClock } from './support/manual-clock.ts'
import { failureOf, readAll, readData } from './support/read-all.ts'
import { transports } from './support/transports.ts'

describe.each(transports)('a faulty answer on the %s', (_name, options) => {
  async function open(answer: Answer, more: Partial<EventStreamRequest> = {}) {
    const server = await startLoopback(answer)
    const stream = await postEventStream({ url: server.url, body: '{}', ...options, ...more })
    return { server, stream }
  }

  it('gives the events before a reset, then TRANSPORT', async () => {
    const { promise: taken, resolve: take } = Promise.withResolvers<void>()
    const { server, stream } = await open((response, { socket }) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.write('data: 1\n\n')
      void taken.then(() => socket.resetAndDestroy())
    })
    await using _ = server
    expect(await stream.read()).toMatchObject([{ data: '1' }])
    take()
    const fault = await failureOf(stream.read())
    expect(fault.code).toBe('TRANSPORT')
    expect(fault.message).toContain(`The call to ${server.url}/ failed: `)
    expect((await failureOf(stream.read())).message).toBe(fault.message)
  })

  it('is a TRANSPORT failure when nobody listens', async () => {
    const server = await startLoopback(events())
    await server[Symbol.asyncDispose]()
    const fault = await failureOf(
      postEventStream({ url: `${server.url}/v1?key=SENTINEL`, body: '{}', ...options }),
    )
    expect(fault.code).toBe('TRANSPORT')
    expect(fault.message).toContain('ECONNREFUSED')
    expect(fault.message).not.toContain('SENTINEL')
  })

  it('is a TRANSPORT failure when the connection is reset before the headers', async () => {
    await using server = await startLoopback((_response, { socket }) => void socket.resetAndDestroy())
    expect((await failureOf(postEventStream({ url: server.url, body: '{}', ...options }))).code).toBe(
      'TRANSPORT',
    )
  })

  it('is TRANSPORT when a body with a known length is cut', async () => {
    const { server, stream } = await open((response, { socket }) => {
      response.writeHead(200, { 'content-type': 'text/event-stream', 'content-length': '1000' })
      response.write('data: 1\n\n', () => socket.end())
    })
    await using _ = server
    expect((await failureOf(readAll(stream))).code).toBe('TRANSPORT')
  })

  it('survives every kind of cut between two writes', async () => {
    const text = '\uFEFFdata: {"t":"江豚 🐬"}\r\n\r\n: keep\r\n\r\ndata: 2\r\n\r\ndata: [DONE]'
    const bytes = new TextEncoder().encode(text)
    await using server = await startLoopback((response, { path }) => {
      const at = Number(path.slice(1))
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.write(bytes.subarray(0, at), () => setImmediate(() => response.end(bytes.subarray(at))))
    })
    for (let at = 1; at < bytes.length; at++) {
      const stream = await postEventStream({ url: `${server.url}/${at}`, body: '{}', ...options })
      expect(await readData(stream)).toEqual(['{"t":"江豚 🐬"}', '2', '[DONE]'])
    }
  })

  it('stops an event that never ends and closes the connection', async () => {
    const endless = 'x'.repeat(64 * 1024)
    const { server, stream } = await open(
      (response) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' })
        const more = (): void =>
          void (response.write(endless) ? setImmediate(more) : response.once('drain', more))
        response.write('data: 1\n\ndata: ')
        more()
      },
      { limits: { maxEventBytes: 1024 * 1024 } },
    )
    await using _ = server
    expect(await stream.read()).toMatchObject([{ data: '1' }])
    const fault = await failureOf(stream.read())
    expect(fault).toMatchObject({ code: 'RESPONSE_TOO_LARGE', status: 200 })
    expect(fault.message).toContain('1048576 bytes (limit maxEventBytes)')
    await server.requests[0]?.closed
  })

  it('reads an event larger than any network read', async () => {
    const large = JSON.stringify('x'.repeat(3 * 1024 * 1024))
    const { server, stream } = await open(events(`data: ${large}\n\n`))
    await using _ = server
    expect((await readData(stream))[0]).toHaveLength(large.length)
  })

  it('does not lose bytes to a reader that is slower than the server', async () => {
    const { server, stream } = await open(
      events(...Array.from({ length: 400 }, () => `data: ${'y'.repeat(8000)}\n\n`)),
    )
    await using _ = server
    await stream.read()
    await new Promise((resolve) => setImmediate(resolve))
    expect((await readData(stream)).length).toBeGreaterThan(300)
  })

  it('uses what came of an error body that stalls', async () => {
    const clock = new ManualClock()
    await using server = await startLoopback((response) => {
      response.writeHead(500, { 'content-type': 'application/json' })
      response.write('{"error":{"mess')
    })
    const call = failureOf(postEventStream({ url: server.url, body: '{}', clock, ...options }))
    while (clock.scheduledCount < 2) await new Promise((resolve) => setImmediate(resolve))
    clock.advance(10_000)
    expect(await call).toMatchObject({ code: 'SERVER', status: 500 })
    await server.requests[0]?.closed
    expect(clock.timerCount).toBe(0)
  })

  it('reads no more of an error body than its limit', async () => {
    const seen: number[] = []
    await using server = await startLoopback((response) => {
      response.writeHead(500)
      const more = (): void =>
        void (response.write('z'.repeat(65_536)) ? setImmediate(more) : response.once('drain', more))
      more()
    })
    const limits = { maxErrorBodyBytes: 1000 }
    const classify: EventStreamRequest['classify'] = ({ text }) => {
      seen.push(text.length)
      throw new Error('classified')
    }
    const call = postEventStream({ url: server.url, body: '{}', limits, classify, ...options })
    await expect(call).rejects.toThrow('classified')
    expect(seen).toEqual([1000])
    await server.requests[0]?.closed
  })
})

describe.each(transports)('time limits on the %s', (_name, options) => {
  const silent: Answer = () => {}

  async function stalled(answer: Answer, readsBefore: number) {
    const clock = new ManualClock()
    const server = await startLoopback(answer)
    const opened = postEventStream({ url: server.url, body: '{}', clock, ...options })
    const request = await server.arrival(0)
    const pending = opened.then(async (stream) => {
      for (let read = 0; read < readsBefore; read++) await stream.read()
      reached.resolve()
      return await readAll(stream)
    })
    const reached = Promise.withResolvers<void>()
    if (readsBefore > 0) await reached.promise
    return { clock, server, request, fault: failureOf(pending) }
  }

  it.each<[string, Answer, number, number, RegExp]>([
    ['before the headers', silent, 0, 600_000, /no content came within 600000 ms \(limit firstContentMs\)/],
    ['before the first content', openEvents(), 0, 600_000, /limit firstContentMs/],
    [
      'after content',
      openEvents('data: 1\n\n'),
      1,
      120_000,
      /not a byte came within 120000 ms \(limit idleBytesMs\)/,
    ],
  ])('ends a stall %s', async (_where, answer, reads, waitMs, message) => {
    const { clock, server, request, fault } = await stalled(answer, reads)
    await using _ = server
    clock.advance(waitMs)
    const { code, message: text } = await fault
    expect(code).toBe('TIMEOUT')
    expect(text).toMatch(message)
    await request.closed
    expect(clock.timerCount).toBe(0)
  })

  it('is not fooled by keep-alives', async () => {
    const clock = new ManualClock()
    const { promise: taken, resolve: take } = Promise.withResolvers<void>()
    await using server = await startLoopback((response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.write('data: 1\n\n')
      void taken.then(() => {
        const beat = (): void => {
          clock.advance(100_000)
          response.write(': keep-alive\n\n', () => setImmediate(beat))
        }
        beat()
      })
    })
    const stream = await postEventStream({
      url: server.url,
      body: '{}',
      clock,
      limits: { idleBytesMs: 0 },
      ...options,
    })
    await stream.read()
    const fault = failureOf(stream.read())
    take()
    expect((await fault).message).toMatch(/only signs of life, within 300000 ms \(limit idleContentMs\)/)
  })
})

describe('the limit between contents', () => {
  const beat = (answer: ServerResponse, clock: ManualClock): void => {
    clock.advance(100_000)
    answer.write('data: {}\n\n', () => setImmediate(() => beat(answer, clock)))
  }

  it('is not fooled by heartbeats in the form of events if the reader tells what content is', async () => {
    const clock = new ManualClock()
    await using server = await startLoopback((response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      beat(response, clock)
    })
    const request = { url: server.url, body: '{}', clock, limits: { idleBytesMs: 0 }, tellsContent: true }
    const stream = await postEventStream(request)
    await stream.read()
    stream.sawContent()
    const fault = failureOf(readAll(stream))
    expect((await fault).message).toMatch(/within 300000 ms \(limit idleContentMs\)/)
  })
})

describe('the connect limit of the node transport', () => {
  it('covers the TLS handshake', async () => {
    const clock = new ManualClock()
    const { promise: reached, resolve: reach } = Promise.withResolvers<void>()
    const mute = createServer((socket) => socket.once('data', () => reach()).on('error', () => {}))
    await new Promise<void>((resolve) => mute.listen(0, '127.0.0.1', resolve))
    const { port } = mute.address() as AddressInfo
    const limits = { connectMs: 2000 }
    const fault = failureOf(postEventStream({ url: `https://127.0.0.1:${port}/v1`, body: '{}', clock, limits }))
    await reached
    clock.advance(2000)
    const { code, message } = await fault
    expect(code).toBe('TIMEOUT')
    expect(message).toMatch(/no connection stood within 2000 ms \(limit connectMs\)/)
    mute.close()
  })
})

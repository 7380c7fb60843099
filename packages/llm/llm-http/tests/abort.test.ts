import { getEventListeners } from 'node:events'
import { describe, expect, it } from 'vitest'
import { postEventStream } from '../src/index.ts'
import { events, openEvents, startLoopback, whole } from './support/loopback-server.ts'
import { ManualClock } from './support/manual-clock.ts'
import { failureOf, readAll, rejection } from './support/read-all.ts'
import { transports } from './support/transports.ts'

const listenerCount = (signal: AbortSignal): number => getEventListeners(signal, 'abort').length

describe.each(transports)('abort on the %s', (_name, options) => {
  function setUp() {
    const controller = new AbortController()
    const clock = new ManualClock()
    const call = (url: string) =>
      postEventStream({ url, body: '{}', signal: controller.signal, clock, ...options })
    return { controller, clock, call, signal: controller.signal }
  }

  it('before the call sends nothing', async () => {
    await using server = await startLoopback(events('data: 1\n\n'))
    const { controller, call } = setUp()
    controller.abort(new Error('stop now'))
    expect(await failureOf(call(server.url))).toMatchObject({ code: 'ABORTED', message: /stop now/ })
    expect(server.requests).toEqual([])
  })

  it('before the headers closes the connection', async () => {
    await using server = await startLoopback(() => {})
    const { controller, clock, call, signal } = setUp()
    const fault = failureOf(call(server.url))
    const request = await server.arrival(0)
    controller.abort(new Error('stop now'))
    expect((await fault).code).toBe('ABORTED')
    await request.closed
    expect([listenerCount(signal), clock.timerCount]).toEqual([0, 0])
  })

  it('while the connection is made sends no request once it stands', async () => {
    await using server = await startLoopback(events('data: 1\n\n'))
    const { controller, call } = setUp()
    const fault = failureOf(call(server.url))
    // Far enough for the transport to have begun, not for the network to have answered.
    for (let turn = 0; turn < 50; turn++) await Promise.resolve()
    controller.abort()
    expect((await fault).code).toBe('ABORTED')
    const other = await postEventStream({ url: `${server.url}/other`, body: '{}', ...options })
    await readAll(other)
    expect(server.requests.map(({ path }) => path)).toEqual(['/other'])
  })

  it('while a read waits ends it at once and closes the connection', async () => {
    await using server = await startLoopback(openEvents('data: 1\n\n'))
    const { controller, clock, call, signal } = setUp()
    const stream = await call(server.url)
    await stream.read()
    const waiting = rejection(stream.read())
    controller.abort(new Error('stop now'))
    expect(await waiting).toMatchObject({ code: 'ABORTED', cause: signal.reason })
    expect((await failureOf(stream.read())).code).toBe('ABORTED')
    await server.requests[0]?.closed
    expect([listenerCount(signal), clock.timerCount]).toEqual([0, 0])
  })

  it('between two reads makes the next one fail, whatever has arrived', async () => {
    await using server = await startLoopback(openEvents('data: 1\n\n', 'data: 2\n\n'))
    const { controller, call } = setUp()
    const stream = await call(server.url)
    await stream.read()
    controller.abort()
    expect((await failureOf(stream.read())).code).toBe('ABORTED')
    await server.requests[0]?.closed
  })

  it('before the first read makes it fail, although events have arrived', async () => {
    await using server = await startLoopback(openEvents('data: 1\n\n'))
    const { controller, call } = setUp()
    const stream = await call(server.url)
    controller.abort()
    expect((await failureOf(stream.read())).code).toBe('ABORTED')
  })

  it('while an error body stalls ends the call', async () => {
    await using server = await startLoopback((response) => void response.writeHead(500).write('{'))
    const { controller, clock, call } = setUp()
    const fault = failureOf(call(server.url))
    while (clock.scheduledCount < 2) await new Promise((resolve) => setImmediate(resolve))
    controller.abort()
    expect((await fault).code).toBe('ABORTED')
    await server.requests[0]?.closed
  })

  it('after the end changes nothing', async () => {
    await using server = await startLoopback(events('data: 1\n\n'))
    const { controller, call } = setUp()
    const stream = await call(server.url)
    await readAll(stream)
    controller.abort()
    expect(await stream.read()).toBeUndefined()
  })

  it('leaves no listener on a long-lived signal, however calls end', async () => {
    const answers = [
      events('data: 1\n\n'),
      whole(500, {}, 'no'),
      openEvents('data: 1\n\n'),
      whole(200, {}, '{}'),
    ]
    await using server = await startLoopback((response, request) =>
      answers[Number(request.path.slice(1))]?.(response, request),
    )
    const { clock, call, signal } = setUp()
    for (let round = 0; round < 12; round++) {
      const stream = await call(`${server.url}/${round % 4}`).catch(() => undefined)
      if (round % 4 === 2) stream?.close()
      else if (stream !== undefined) await readAll(stream)
      expect([listenerCount(signal), clock.timerCount]).toEqual([0, 0])
    }
  })

  it('by close ends a waiting read without a failure and closes the connection', async () => {
    await using server = await startLoopback(openEvents('data: 1\n\n'))
    const { call } = setUp()
    const stream = await call(server.url)
    await stream.read()
    const waiting = stream.read()
    stream.close()
    stream.close()
    expect(await waiting).toBeUndefined()
    expect(await stream.read()).toBeUndefined()
    await server.requests[0]?.closed
  })
})

describe('an injected fetch', () => {
  const url = 'http://h/v1'

  it('that is deaf to its signal hangs nobody, and its late answer is cancelled', async () => {
    const controller = new AbortController()
    const { promise: cancelled, resolve: cancel } = Promise.withResolvers<unknown>()
    const { promise: response, resolve: answer } = Promise.withResolvers<Response>()
    const fault = failureOf(
      postEventStream({ url, body: '{}', signal: controller.signal, fetch: () => response }),
    )
    controller.abort()
    expect((await fault).code).toBe('ABORTED')
    answer(new Response(new ReadableStream({ cancel })))
    await cancelled
  })

  it('whose body refuses to be cancelled disturbs nobody', async () => {
    const body = new ReadableStream({
      start: (stream) => stream.enqueue(new TextEncoder().encode('data: 1\n\n')),
      cancel: () => Promise.reject(new Error('no')),
    })
    const stream = await postEventStream({ url, body: '{}', fetch: () => Promise.resolve(new Response(body)) })
    await stream.read()
    stream.close()
    expect(await stream.read()).toBeUndefined()
  })

  it('that aborts by itself is a TRANSPORT failure', async () => {
    const error = new DOMException('The operation was aborted', 'AbortError')
    const fault = await failureOf(postEventStream({ url, body: '{}', fetch: () => Promise.reject(error) }))
    expect(fault.code).toBe('TRANSPORT')
  })

  it('sees redirects whose status the platform hides', async () => {
    const response = Object.defineProperty(new Response(null), 'status', { value: 0 })
    const fault = await failureOf(postEventStream({ url, body: '{}', fetch: () => Promise.resolve(response) }))
    expect(fault.code).toBe('HTTP_REDIRECT')
  })
})

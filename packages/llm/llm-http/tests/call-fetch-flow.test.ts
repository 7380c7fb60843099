import { type Answer, cutEvery, fakeClock, type ReceivedRequest } from 'dsh-llm-testkit'
import { describe, expect, it } from 'vitest'
import { type CallFetchOptions, openCallFetch } from '../src/index.ts'
import { nextText, openCall, post, readerOf, serve, turns } from './support/call-fetch-kit.ts'
import { rejection } from './support/read-all.ts'
import { transports } from './support/transports.ts'

const hanging: Answer = { chunks: 'data: 1\n\n', end: 'hang' }

/** Settles when the server, which would never end, has written nothing for a while since nobody reads. */
async function heldUp(request: ReceivedRequest): Promise<void> {
  let written = -1
  while (!request.paused || written !== request.chunksWritten) {
    written = request.chunksWritten
    await turns(50)
  }
}

describe.each(transports)('openCallFetch on the %s', (_name, options) => {
  it('holds the server up until it is resumed, and again while it is paused', async () => {
    const piece = `data: ${'a'.repeat(64 * 1024)}\n\n`
    await using server = await serve({
      chunks: (function* () {
        for (;;) yield piece
      })(),
    })
    let seen = 0
    const call = openCallFetch({ ...options, onEvent: () => void seen++ })
    const opening = call.fetch(server.url, post)
    const request = await server.waitForRequest()
    await heldUp(request)
    expect([call.status, seen]).toEqual([200, 0])
    call.resume()
    const reader = readerOf(await opening)
    while (seen < 100) await reader.read()
    call.pause()
    const pull = reader.read()
    const told = seen
    await heldUp(request)
    expect(seen).toBe(told)
    call.resume()
    await pull
    while (seen < told + 100) await reader.read()
    call.close()
    await request.closed
  })

  it('gives an event when it is whole, and many of them in chunks that a parser is not slow with', async () => {
    const large = `data: ${'a'.repeat(300_000)}\r\n\r\n`
    const many = 'data: 1\n\n'.repeat(50_000)
    await using server = await serve({ chunks: [...cutEvery(large, 1000), many, 'data: 2'] })
    const { call } = openCall(options)
    const reader = readerOf(await call.fetch(server.url, post))
    expect(await nextText(reader)).toBe(large)
    let rest = ''
    for (let text = await nextText(reader); text !== undefined; text = await nextText(reader)) {
      expect(text.length).toBeLessThan(70_000)
      rest += text
    }
    expect(rest).toBe(`${many}data: 2\n\n`)
  })

  it('keeps no comments without end', async () => {
    await using server = await serve({ chunks: [...cutEvery(': a comment\n'.repeat(20), 40), 'data: 1\n\n'] })
    const { call } = openCall({ ...options, limits: { maxEventBytes: 60 } })
    const reader = readerOf(await call.fetch(server.url, post))
    expect(await nextText(reader)).toMatch(/^(: a comment\n)+[^d]*$/)
    await reader.cancel()
  })

  it('reads nothing that the library does not ask for', async () => {
    await using server = await serve({ chunks: ['data: 1\n\n', 'data: 2\n\n'] })
    const { call, seen } = openCall(options)
    await call.fetch(server.url, post)
    await server.requests[0]?.closed
    await turns()
    expect(seen).toEqual([])
    call.close()
  })

  it.each<[string, string | undefined]>([
    ['close', undefined],
    ['limit', 'TIMEOUT'],
    ['abort', 'ABORTED'],
  ])('lets a pull that waits while paused end by %s', async (how, code) => {
    await using server = await serve(hanging)
    const clock = fakeClock()
    const controller = new AbortController()
    const { call } = openCall({ ...options, clock, signal: controller.signal, limits: { totalMs: 50 } })
    const reader = readerOf(await call.fetch(server.url, post))
    call.pause()
    const pull = rejection(reader.read())
    await turns()
    if (how === 'close') call.close()
    if (how === 'abort') controller.abort()
    if (how === 'limit') await clock.advance(50)
    expect(await pull).toMatchObject({ code: code ?? 'ABORTED' })
    expect([call.failure?.code, clock.pending]).toEqual([code, 0])
    await server.requests[0]?.closed
  })

  it('reads nothing when it is paused again at once', async () => {
    await using server = await serve({ chunks: 'data: 1\n\n' })
    const { call, seen } = openCall(options)
    const reader = readerOf(await call.fetch(server.url, post))
    call.pause()
    const pull = nextText(reader)
    await turns()
    call.resume()
    call.pause()
    await turns()
    expect(seen).toEqual([])
    call.resume()
    expect(await pull).toBe('data: 1\n\n')
  })

  it('drops nothing of what a read brings that was paused while it waited', async () => {
    const { promise: more, resolve: send } = Promise.withResolvers<string>()
    await using server = await serve({
      chunks: (async function* () {
        yield 'data: 1\n\n'
        yield await more
      })(),
    })
    const { call, seen } = openCall(options)
    const reader = readerOf(await call.fetch(server.url, post))
    await reader.read()
    const pull = nextText(reader)
    await turns()
    call.pause()
    send('data: 2\n\n')
    expect([await pull, seen]).toEqual(['data: 2\n\n', ['1', '2']])
    call.resume()
    expect(await nextText(reader)).toBeUndefined()
  })

  it.each<[string, CallFetchOptions['limits'], boolean]>([
    ['firstContentMs', { firstContentMs: 100 }, false],
    ['idleContentMs', { idleContentMs: 100 }, true],
    ['idleBytesMs', { idleBytesMs: 100 }, false],
  ])('counts %s only while it is resumed', async (name, limits, sawContent) => {
    await using server = await serve(hanging)
    const clock = fakeClock()
    const { call } = openCall({ ...options, clock, limits })
    const reader = readerOf(await call.fetch(server.url, post))
    await reader.read()
    if (sawContent) call.sawContent()
    const pull = rejection(reader.read())
    await clock.advance(60)
    call.pause()
    await clock.advance(1000)
    call.resume()
    await clock.advance(20)
    call.resume()
    await clock.advance(19)
    expect(call.failure).toBeUndefined()
    await clock.advance(61)
    expect(await pull).toBe(call.failure)
    expect(call.failure).toMatchObject({ code: 'TIMEOUT', message: new RegExp(`limit ${name}`) })
    expect(clock.pending).toBe(0)
    await server.requests[0]?.closed
  })

  it('counts the silence after bytes that came while it was paused', async () => {
    const { promise: more, resolve: send } = Promise.withResolvers<string>()
    await using server = await serve({
      chunks: (async function* () {
        yield await more
      })(),
      end: 'hang',
    })
    const clock = fakeClock()
    const { call } = openCall({ ...options, clock, limits: { idleBytesMs: 100 } })
    const opening = call.fetch(server.url, post)
    while (call.status === undefined) await turns(1)
    await turns()
    call.pause()
    send('data: 1\n\n')
    const reader = readerOf(await opening)
    call.resume()
    await reader.read()
    const pull = rejection(reader.read())
    await clock.advance(100)
    expect(await pull).toMatchObject({ code: 'TIMEOUT', message: /limit idleBytesMs/ })
  })

  it('watches the head of an answer whether or not it is resumed', async () => {
    await using server = await serve({ raw: true, end: 'hang' })
    const clock = fakeClock()
    const call = openCallFetch({ ...options, clock, limits: { firstContentMs: 100 } })
    const opening = rejection(call.fetch(server.url, post))
    const request = await server.waitForRequest()
    call.resume()
    call.pause()
    await clock.advance(100)
    expect(await opening).toBe(call.failure)
    expect(call.failure).toMatchObject({ code: 'TIMEOUT', message: /limit firstContentMs/ })
    await request.closed
    expect(clock.pending).toBe(0)
  })

  it('reads answers that are failures without being resumed', async () => {
    await using server = await serve({ status: 500, chunks: 'said' })
    const call = openCallFetch(options)
    expect(await rejection(call.fetch(server.url, post))).toMatchObject({ code: 'SERVER', message: /said$/ })
  })

  it('tells the status of an answer whose error body meets a limit', async () => {
    await using server = await serve({ status: 500, end: 'hang' })
    const clock = fakeClock()
    const { call } = openCall({ ...options, clock, limits: { totalMs: 50, errorBodyMs: 0 } })
    const opening = rejection(call.fetch(server.url, post))
    while (call.status === undefined) await turns()
    await clock.advance(50)
    expect(await opening).toMatchObject({ code: 'SERVER' })
    expect([call.failure === (await opening), clock.pending]).toEqual([true, 0])
  })

  it('waits for a stalling error body no longer than its limit', async () => {
    await using server = await serve({ status: 500, chunks: 'said', end: 'hang' })
    const clock = fakeClock()
    const { call } = openCall({ ...options, clock, limits: { errorBodyMs: 70 } })
    const opening = rejection(call.fetch(server.url, post))
    while (clock.pending < 2) await turns(1)
    await turns()
    await clock.advance(70)
    expect(await opening).toMatchObject({ code: 'SERVER', message: /said$/ })
    expect(clock.pending).toBe(0)
    await server.requests[0]?.closed
  })
})

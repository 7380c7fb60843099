import { fakeClock } from 'dsh-llm-testkit'
import { describe, expect, it } from 'vitest'
import { type CallFetch, type CallFetchOptions, openCallFetch } from '../src/index.ts'
import {
  listenerCount,
  nextText,
  openCall,
  post,
  readerOf,
  readUntilFailure,
  serve,
  turns,
} from './support/call-fetch-kit.ts'
import { rejection } from './support/read-all.ts'
import { transports } from './support/transports.ts'

describe.each(transports)('the end of a call on the %s', (_name, options) => {
  /** A call that finishes itself at the end marker. */
  function openFinishing(more: CallFetchOptions = {}) {
    const opened: ReturnType<typeof openCall> = openCall({
      ...options,
      ...more,
      onEvent: ({ data }) => {
        if (data === '[DONE]') opened.call.finish()
      },
    })
    return opened
  }

  it('keeps the connection for the next call after the end of the bytes', async () => {
    await using server = await serve(() => ({ chunks: ['data: 1\n\n', 'data: 2\n\n'] }))
    for (let round = 0; round < 3; round++) {
      const { call } = openCall(options)
      expect(await readUntilFailure(await call.fetch(server.url, post))).toEqual({
        text: 'data: 1\n\ndata: 2\n\n',
        failure: undefined,
      })
      await turns()
      call.close()
    }
    expect(server.connectionCount).toBe(1)
  })

  it('comes right behind the end marker, and keeps the connection when the answer ends', async () => {
    await using server = await serve(() => ({
      chunks: ['data: 1\n\ndata: [DONE]\n\ndata: 2\n\n', ': more\n\n'],
    }))
    for (let round = 0; round < 3; round++) {
      const clock = fakeClock()
      const { call, seen } = openFinishing({ clock })
      const { text } = await readUntilFailure(await call.fetch(server.url, post))
      expect([text, seen, call.failure]).toEqual(['data: 1\n\ndata: [DONE]\n\n', ['1', '[DONE]'], undefined])
      while (clock.pending > 0) await turns()
      await turns()
    }
    expect(server.connectionCount).toBe(1)
  })

  it('does not wait for a server that keeps its answer open behind the end marker', async () => {
    await using server = await serve({ chunks: 'data: [DONE]\n\n', end: 'hang' })
    const clock = fakeClock()
    const { call } = openFinishing({ clock })
    expect((await readUntilFailure(await call.fetch(server.url, post))).failure).toBeUndefined()
    await clock.advance(200)
    expect(await server.requests[0]?.closed).toMatchObject({ by: 'client' })
    expect(clock.pending).toBe(0)
  })

  it('by finish while a pull waits comes at once, and the pending read keeps the connection', async () => {
    const { promise: over, resolve: end } = Promise.withResolvers<void>()
    await using server = await serve((_request, index) => ({
      chunks: (async function* () {
        yield 'data: 1\n\n'
        if (index === 0) await over
      })(),
    }))
    const clock = fakeClock()
    const { call } = openCall({ ...options, clock })
    const reader = readerOf(await call.fetch(server.url, post))
    await reader.read()
    const pull = nextText(reader)
    await turns()
    call.finish()
    expect(await pull).toBeUndefined()
    end()
    while (clock.pending > 0) await turns()
    await turns()
    await readUntilFailure(await openCall(options).call.fetch(server.url, post))
    expect([server.connectionCount, call.failure]).toEqual([1, undefined])
  })

  it('by finish while paused lets a waiting pull see the end', async () => {
    await using server = await serve({ chunks: 'data: 1\n\n', end: 'hang' })
    const { call } = openCall(options)
    const reader = readerOf(await call.fetch(server.url, post))
    call.pause()
    const pull = reader.read()
    call.finish()
    call.pause()
    expect((await pull).done).toBe(true)
  })

  it('by finish before there is an answer is none', async () => {
    await using server = await serve({ chunks: 'data: 1\n\n' })
    const { call } = openCall(options)
    call.finish()
    const opening = call.fetch(server.url, post)
    call.finish()
    expect(await (await opening).text()).toBe('data: 1\n\n')
  })

  it.each([true, false])(
    'by a library that cancels closes the connection unless it was finished: %s',
    async (finished) => {
      await using server = await serve((_request, index) => ({
        chunks: 'data: [DONE]\n\n',
        end: index === 0 && !finished ? 'hang' : 'close',
      }))
      const clock = fakeClock()
      const { call } = finished ? openFinishing({ clock }) : openCall({ ...options, clock })
      const response = await call.fetch(server.url, post)
      const reader = readerOf(response)
      await reader.read()
      const waiting = finished ? undefined : reader.read()
      await reader.cancel()
      expect([(await waiting)?.value, call.failure]).toEqual([undefined, undefined])
      expect(await server.requests[0]?.closed).toMatchObject({ by: finished ? 'server' : 'client' })
      while (clock.pending > 0) await turns()
      call.close()
    },
  )

  it('by cancel while paused leaves nothing waiting', async () => {
    await using server = await serve({ chunks: 'data: 1\n\n', end: 'hang' })
    const { call } = openCall(options)
    const reader = readerOf(await call.fetch(server.url, post))
    call.pause()
    const pull = reader.read()
    await reader.cancel()
    expect((await pull).done).toBe(true)
    await server.requests[0]?.closed
    call.resume()
    await turns()
    expect(call.failure).toBeUndefined()
  })

  const left = { code: 'ABORTED', message: /^The call was left before/ }

  it('by close before the library calls sends nothing', async () => {
    await using server = await serve({})
    const call = openCallFetch(options)
    call.close()
    expect(await rejection(call.fetch(server.url, post))).toMatchObject(left)
    expect([call.failure, server.requests]).toEqual([undefined, []])
  })

  it('by close while the body of a Request is read sends nothing', async () => {
    await using server = await serve({})
    const call = openCallFetch(options)
    const opening = rejection(call.fetch(new Request(server.url, post)))
    call.close()
    expect(await opening).toMatchObject(left)
    expect(server.requests).toEqual([])
  })

  const stages: [string, Parameters<typeof serve>[0], (call: CallFetch) => void][] = [
    ['before the head', { raw: true, end: 'hang' }, () => {}],
    ['before the first byte', { end: 'hang' }, () => {}],
    ['before it was resumed', { chunks: 'data: 1\n\n', end: 'hang' }, (call) => call.pause()],
    ['while a page is read', { chunks: '<html>', end: 'hang' }, () => {}],
    ['while JSON is read', { chunks: '{', end: 'hang' }, () => {}],
  ]

  it.each(stages)('by close %s closes the connection', async (_stage, answer, prepare) => {
    await using server = await serve(answer)
    const clock = fakeClock()
    const { signal } = new AbortController()
    const { call } = openCall({ ...options, clock, signal })
    prepare(call)
    const opening = rejection(call.fetch(server.url, { ...post, signal }))
    const request = await server.waitForRequest()
    await turns(20)
    call.close()
    call.close()
    expect(['ABORTED', 'MALFORMED_RESPONSE']).toContain(((await opening) as { code: string }).code)
    await request.closed
    expect([call.failure, clock.pending, listenerCount(signal)]).toEqual([undefined, 0, 0])
  })

  it('by close while a pull waits, between pulls, or from onEvent makes the body fail', async () => {
    await using server = await serve(() => ({ chunks: 'data: 1\n\n', end: 'hang' }))
    for (const how of ['waiting', 'between', 'inside']) {
      const clock = fakeClock()
      const opened: ReturnType<typeof openCall> = openCall({
        ...options,
        clock,
        onEvent: () => {
          if (how === 'inside') opened.call.close()
        },
      })
      const { call } = opened
      const reader = readerOf(await call.fetch(server.url, post))
      expect(await nextText(reader)).toBe('data: 1\n\n')
      if (how === 'between') call.close()
      if (how !== 'waiting') call.pause()
      const pull = rejection(reader.read())
      await turns()
      if (how === 'waiting') call.close()
      expect(await pull).toMatchObject(left)
      await server.requests.at(-1)?.closed
      expect([call.failure, clock.pending]).toEqual([undefined, 0])
    }
  })

  it('by close after the end changes nothing', async () => {
    await using server = await serve({ chunks: 'data: 1\n\n' })
    const { call } = openCall(options)
    const { text } = await readUntilFailure(await call.fetch(server.url, post))
    call.close()
    expect([text, call.failure, call.status]).toEqual(['data: 1\n\n', undefined, 200])
  })
})

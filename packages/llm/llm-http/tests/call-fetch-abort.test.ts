import { type Answer, fakeClock } from 'dsh-llm-testkit'
import { describe, expect, it } from 'vitest'
import { type CallFetchOptions, openCallFetch } from '../src/index.ts'
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

const hanging: Answer = { chunks: 'data: 1\n\n', end: 'hang' }
const aborted = { code: 'ABORTED', message: 'The call was aborted: stop now' }

const cases = transports.flatMap(([name, options]) =>
  (['owner', 'library'] as const).map((who): [string, string, CallFetchOptions] => [who, name, options]),
)

describe.each(cases)('an abort by the %s on the %s', (who, _name, options) => {
  /** Why the library aborts by itself, only it knows. */
  const isFailure = who === 'owner'

  function setUp(more: CallFetchOptions = {}) {
    const [own, librarys] = [new AbortController(), new AbortController()]
    const clock = fakeClock()
    const opened = openCall({ ...options, ...more, clock, signal: own.signal })
    return {
      ...opened,
      fetch: (url: string) => opened.call.fetch(url, { ...post, signal: librarys.signal }),
      abort: () => (who === 'owner' ? own : librarys).abort(new Error('stop now')),
      /** Nothing of the call is left anywhere. */
      expectFree: () => expect([listenerCount(own.signal, librarys.signal), clock.pending]).toEqual([0, 0]),
    }
  }

  it('before the call sends nothing', async () => {
    await using server = await serve({})
    const { call, fetch, abort, expectFree } = setUp()
    abort()
    expect(await rejection(fetch(server.url))).toMatchObject(aborted)
    expect([call.failure?.code, server.requests]).toEqual([isFailure ? 'ABORTED' : undefined, []])
    expectFree()
  })

  it('from the tap of the request sends nothing', async () => {
    await using server = await serve({})
    const opened: ReturnType<typeof setUp> = setUp({ onRequest: () => opened.abort() })
    expect(await rejection(opened.fetch(server.url))).toMatchObject(aborted)
    expect(server.requests).toEqual([])
    opened.expectFree()
  })

  it.each<[string, Answer]>([
    ['before the head', { raw: true, end: 'hang' }],
    ['before the first byte', { end: 'hang' }],
    ['while an error body stalls', { status: 500, chunks: '{', end: 'hang' }],
    ['while a page stalls', { chunks: '<html>', end: 'hang' }],
    ['while JSON stalls', { chunks: '{', end: 'hang' }],
  ])('%s closes the connection', async (_stage, answer) => {
    await using server = await serve(answer)
    const { call, fetch, abort, expectFree } = setUp()
    const opening = rejection(fetch(server.url))
    const request = await server.waitForRequest()
    await turns(20)
    abort()
    const thrown = await opening
    expect(thrown).toMatchObject(aborted)
    expect(call.failure).toBe(isFailure ? thrown : undefined)
    await request.closed
    expectFree()
  })

  it('while a pull waits, and between pulls, makes the body fail', async () => {
    await using server = await serve(hanging)
    for (const isWaiting of [true, false]) {
      const { call, fetch, abort, expectFree } = setUp()
      const reader = readerOf(await fetch(server.url))
      expect(await nextText(reader)).toBe('data: 1\n\n')
      if (!isWaiting) abort()
      const pull = rejection(reader.read())
      await turns()
      if (isWaiting) abort()
      expect(await pull).toMatchObject(aborted)
      expect(call.failure).toBe(isFailure ? await pull : undefined)
      await server.requests.at(-1)?.closed
      expectFree()
    }
  })

  it('counts at once, though nobody reads', async () => {
    await using server = await serve(hanging)
    const { call, fetch, abort, expectFree } = setUp()
    await fetch(server.url)
    call.pause()
    abort()
    if (isFailure) expect(call.failure).toMatchObject(aborted)
    else expect(call.failure).toBeUndefined()
    await server.requests[0]?.closed
    expectFree()
  })

  it('from onEvent makes the body fail behind that event', async () => {
    await using server = await serve({ chunks: 'data: 1\n\ndata: 2\n\n' })
    const opened: ReturnType<typeof setUp> = setUp({ onEvent: () => opened.abort() })
    const { text, failure } = await readUntilFailure(await opened.fetch(server.url))
    expect([text, opened.seen]).toEqual(['data: 1\n\n', ['1']])
    expect(opened.call.failure).toBe(isFailure ? failure : undefined)
    expect(failure).toMatchObject(aborted)
    opened.expectFree()
  })

  it('after the end, after finish and after a failure changes nothing', async () => {
    await using server = await serve([{ chunks: 'data: 1\n\n' }, hanging, { status: 500 }])
    const codes: unknown[] = []
    for (const how of ['end', 'finish', 'failure']) {
      const { call, fetch, abort } = setUp()
      const response = await fetch(server.url).catch(() => undefined)
      if (how === 'end') await response?.text()
      if (how === 'finish') call.finish()
      abort()
      codes.push(call.failure?.code)
    }
    expect(codes).toEqual([undefined, undefined, 'SERVER'])
  })

  it('leaves no listener however calls end', async () => {
    const answers: Answer[] = [
      { chunks: 'data: 1\n\n' },
      { status: 500 },
      hanging,
      { chunks: '{}' },
      { status: 204 },
    ]
    await using server = await serve((_request, index) => answers[index] ?? {})
    for (const _ of answers) {
      const { call, fetch, expectFree } = setUp()
      const response = await fetch(server.url).catch(() => undefined)
      if (call.headers['transfer-encoding'] === undefined) await response?.text()
      else call.close()
      call.close()
      expectFree()
    }
  })
})

describe('an injected fetch that is deaf', () => {
  const deaf: CallFetchOptions = { fetch: () => new Promise(() => {}) }

  it('hangs nobody: abort, limit and close end the call', async () => {
    const controller = new AbortController()
    const clock = fakeClock()
    const ends: [CallFetchOptions, string][] = [
      [{ signal: controller.signal }, 'ABORTED'],
      [{ clock, limits: { totalMs: 10 } }, 'TIMEOUT'],
      [{}, 'ABORTED'],
    ]
    const calls = ends.map(([more]) => openCallFetch({ ...deaf, ...more }))
    const openings = calls.map((call) => rejection(call.fetch('https://h', post)))
    await turns()
    controller.abort()
    await clock.advance(10)
    calls[2]?.close()
    expect(await Promise.all(openings)).toMatchObject(ends.map(([, code]) => ({ code })))
    expect(calls.map(({ failure }) => failure?.code)).toEqual(['ABORTED', 'TIMEOUT', undefined])
    expect([clock.pending, listenerCount(controller.signal)]).toEqual([0, 0])
  })

  it('is not called when the tap of the request closes the call', async () => {
    const call = openCallFetch({ ...deaf, onRequest: () => call.close() })
    expect(await rejection(call.fetch('https://h', post))).toMatchObject({ code: 'ABORTED' })
  })
})

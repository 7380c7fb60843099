import { gzipSync } from 'node:zlib'
import { LlmError } from 'dsh-llm'
import { type Answer, cutBytes, jsonAnswer } from 'dsh-llm-testkit'
import { describe, expect, it } from 'vitest'
import type { CallFetchOptions } from '../src/index.ts'
import { openCall, post, readUntilFailure, serve } from './support/call-fetch-kit.ts'
import { rejection } from './support/read-all.ts'
import { transports } from './support/transports.ts'

const secret = 'sk-test-SENTINEL'

describe.each(transports)('a failure beneath a library on the %s', (_name, options) => {
  /** The one failure that the library and the owner of the call both see; the connection must be free again. */
  async function failure(answer: Answer, more: CallFetchOptions = {}): Promise<LlmError> {
    await using server = await serve(answer)
    const { call } = openCall({ ...options, ...more })
    const headers = { authorization: `Bearer ${secret}` }
    const thrown = await rejection(call.fetch(`${server.url}/v1/chat`, { ...post, headers }))
    if (!(thrown instanceof LlmError)) throw new Error('Expected an LlmError', { cause: thrown })
    expect(call.failure).toBe(thrown)
    await server.requests[0]?.closed
    return thrown
  }

  it('of an answer outside 2xx has code, delay, request id and the words of the provider', async () => {
    const headers = { 'retry-after': '2', 'x-request-id': 'r1' }
    const fault = await failure(jsonAnswer({ error: { message: 'slow down' } }, { status: 429, headers }))
    expect(fault.failure).toMatchObject({
      code: 'RATE_LIMIT',
      status: 429,
      providerRetryAfterMs: 2000,
      requestId: 'r1',
    })
    expect(fault.message).toMatch(/^POST http:\S+\/v1\/chat was answered with status 429: slow down$/)
  })

  it('is classified by the owner of the call', async () => {
    const classify: CallFetchOptions['classify'] = ({ json, facts }) =>
      new LlmError(JSON.stringify(json), 'QUOTA', facts)
    const fault = await failure(jsonAnswer({ error: 1 }, { status: 429 }), { classify })
    expect(fault).toMatchObject({ code: 'QUOTA', message: '{"error":1}' })
  })

  it('is read from an error body that never ends, up to its bound', async () => {
    const answer: Answer = {
      status: 500,
      chunks: 'said',
      end: 'hang',
      headers: { 'content-type': 'text/plain' },
    }
    const fault = await failure(answer, { limits: { maxErrorBodyBytes: 3 } })
    expect(fault).toMatchObject({ code: 'SERVER', message: /status 500: sai$/ })
  })

  it('is the status although the error body breaks off', async () => {
    expect(await failure({ status: 500, chunks: 'said', end: 'cut' })).toMatchObject({ code: 'SERVER' })
  })

  it('is a redirect, which is never followed', async () => {
    await using target = await serve({})
    const fault = await failure({ status: 307, headers: { location: `${target.url}/else?key=SENTINEL` } })
    expect(fault).toMatchObject({ code: 'HTTP_307', message: /redirects to http:\S+\/else,/ })
    expect([fault.message.includes('SENTINEL'), target.requests]).toEqual([false, []])
  })

  const classifyBody = (json: unknown): LlmError | undefined =>
    JSON.stringify(json).includes('known') ? new LlmError(JSON.stringify(json), 'QUOTA') : undefined

  it.each<[unknown, string, RegExp]>([
    [{ error: { code: 'known' } }, 'QUOTA', /^\{"error":\{"code":"known"\}\}$/],
    [[{ error: { code: 'known' } }], 'QUOTA', /^\[/],
    [{ error: { code: 'other' } }, 'MALFORMED_RESPONSE', /where events were expected: \{"error":/],
    [{ error: 'known' }, 'QUOTA', /^\{"error":"known"\}$/],
    [{ error: null }, 'MALFORMED_RESPONSE', /where events were expected/],
    [{ id: 'other' }, 'MALFORMED_RESPONSE', /status 200 and application\/json where events were expected/],
    [[], 'MALFORMED_RESPONSE', /where events were expected/],
  ])('is the JSON %j under status 200', async (json, code, message) => {
    expect(await failure(jsonAnswer(json), { classifyBody })).toMatchObject({ code, message })
  })

  it('is JSON under an event content type, cut anywhere, or JSON that is none', async () => {
    const chunks = cutBytes('\n{"error":{"code":"known"}}', [1, 2, 9])
    expect((await failure({ chunks }, { classifyBody })).code).toBe('QUOTA')
    expect((await failure({ chunks: '{"error":{"code":"known"' }, { classifyBody })).code).toBe(
      'MALFORMED_RESPONSE',
    )
  })

  it('is JSON under status 200 that is too large', async () => {
    const fault = await failure(jsonAnswer({ id: 'a'.repeat(200) }), { limits: { maxEventBytes: 100 } })
    expect(fault.code).toBe('RESPONSE_TOO_LARGE')
  })

  it('is a page under status 200', async () => {
    const page: Answer = { headers: { 'content-type': 'text/html' }, chunks: '<html>log in</html>' }
    const fault = await failure(page)
    expect(fault.code).toBe('MALFORMED_RESPONSE')
    expect(fault.message).toMatch(/status 200 and text\/html where events were expected$/)
  })

  it('shows no secret', async () => {
    const said = { error: { message: `no credit for ${secret}`, code: 'known' } }
    const classify: CallFetchOptions['classify'] = ({ text, message, facts }) =>
      new LlmError(message + text, 'QUOTA', facts)
    const faults = [
      await failure(jsonAnswer(said, { status: 401 })),
      await failure(jsonAnswer(said, { status: 401 }), { classify }),
      await failure(jsonAnswer(said)),
      await failure(jsonAnswer(said), { classifyBody }),
      await failure({ headers: { 'content-type': 'text/plain' }, chunks: `hi ${secret}` }),
    ]
    for (const { message } of faults) expect(message).toMatch(/^(?!.*SENTINEL).*\[masked\]/)
  })

  it('is no connection', async () => {
    const server = await serve({})
    await server.close()
    const { call } = openCall(options)
    const thrown = await rejection(call.fetch(`${server.url}/v1?key=SENTINEL`, post))
    expect(thrown).toMatchObject({ code: 'TRANSPORT' })
    expect([call.failure, call.status]).toEqual([thrown, undefined])
  })

  async function stream(answer: Answer, more: CallFetchOptions = {}) {
    await using server = await serve(answer)
    const { call, seen } = openCall({ ...options, ...more })
    const { text, failure: thrown } = await readUntilFailure(await call.fetch(server.url, post))
    expect(thrown).toBe(call.failure)
    await server.requests[0]?.closed
    return { text, seen, failure: call.failure }
  }

  it.each(['cut', 'reset'] as const)(
    'is an answer that breaks off by %s, after what came before',
    async (end) => {
      const { promise: told, resolve: tell } = Promise.withResolvers<void>()
      const chunks = (async function* () {
        yield 'data: 1\n\ndata: 2'
        await told
      })()
      const { text, seen, failure: fault } = await stream({ chunks, end }, { onEvent: () => tell() })
      expect([text.slice(0, 9), seen, fault?.code]).toEqual(['data: 1\n\n', ['1'], 'TRANSPORT'])
    },
  )

  it('is an event that is too large, after those before it', async () => {
    const chunks = `data: 1\n\ndata: ${'a'.repeat(200)}\n\ndata: 2\n\n`
    const { text, seen, failure: fault } = await stream({ chunks }, { limits: { maxEventBytes: 100 } })
    expect([text, seen]).toEqual(['data: 1\n\n', ['1']])
    expect(fault).toMatchObject({ code: 'RESPONSE_TOO_LARGE', message: /^One event of the answer/ })
  })

  const throwAt = (data: string, error: unknown): CallFetchOptions => ({
    onEvent: (event) => {
      if (event.data === data) throw error
    },
  })

  it('is what onEvent throws, behind the same bytes however they are cut', async () => {
    const body = 'data: 1\r\n\r\n: hi\n\ndata: 2\n\ndata: 3\n\n'
    const error = new LlmError('The provider said no', 'SERVER')
    for (let at = 0; at < body.length; at++) {
      const { text, seen, failure: fault } = await stream({ chunks: cutBytes(body, [at]) }, throwAt('2', error))
      expect([seen, fault]).toEqual([['1', '2'], error])
      expect(text.startsWith('data: 1\r\n\r\n') && !text.includes('data: 2\n\n')).toBe(true)
    }
  })

  it('is what onEvent throws for a last event without its blank line', async () => {
    const error = new LlmError('The provider said no', 'SERVER')
    const { text, failure: fault } = await stream(
      { chunks: 'data: 1\n\ndata: [DONE]' },
      throwAt('[DONE]', error),
    )
    expect([text, fault]).toEqual(['data: 1\n\ndata: [DONE]', error])
  })

  it('is an LlmError for anything else that onEvent, a tap or the headers function throws', async () => {
    const error = new RangeError(`odd ${secret}`)
    const { failure: fault } = await stream(
      { chunks: 'data: 1\n\n' },
      { ...throwAt('1', error), secrets: [secret] },
    )
    expect(fault).toMatchObject({ message: /odd \[masked\]$/ })
    const fail = (): never => {
      throw error
    }
    for (const more of [
      { onRequest: fail },
      { onResponse: fail },
      { headers: fail },
    ] satisfies CallFetchOptions[]) {
      await using server = await serve({ end: 'hang' })
      const { call } = openCall({ ...options, ...more, secrets: [secret] })
      expect(await rejection(call.fetch(server.url, post))).toBe(call.failure)
      expect(call.failure?.message).toMatch(/odd \[masked\]$/)
      await server.requests[0]?.closed
    }
  })

  it('is none in a compressed answer', async () => {
    const answer = { headers: { 'content-encoding': 'gzip' }, chunks: gzipSync('data: 1\n\n') }
    expect(await stream(answer)).toEqual({ text: 'data: 1\n\n', seen: ['1'], failure: undefined })
  })

  it('is none in a header with characters beyond ASCII', async () => {
    const chunks = 'HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nx-word: 豚\r\n\r\ndata: 1\n\n'
    expect(await stream({ raw: true, chunks })).toEqual({
      text: 'data: 1\n\n',
      seen: ['1'],
      failure: undefined,
    })
  })
})

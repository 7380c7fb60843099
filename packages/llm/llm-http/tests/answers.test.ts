import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { LlmError } from 'dsh-llm'
import { getJson, postEventStream } from '../src/index.ts'
import { type Answer, events, startLoopback, whole } from './support/loopback-server.ts'
import { failureOf, readAll, readData } from './support/read-all.ts'
import { transports } from './support/transports.ts'

describe.each(transports)('postEventStream on the %s', (_name, options) => {
  async function post(answer: Answer, more: Partial<Parameters<typeof postEventStream>[0]> = {}) {
    await using server = await startLoopback(answer)
    const stream = await postEventStream({ url: `${server.url}/v1/chat`, body: '{}', ...options, ...more })
    return { stream, data: await readData(stream), request: server.requests[0], all: await readAll(stream) }
  }

  async function failure(answer: Answer, more: Partial<Parameters<typeof postEventStream>[0]> = {}) {
    await using server = await startLoopback(answer)
    return await failureOf(postEventStream({ url: `${server.url}/v1/chat`, body: '{}', ...options, ...more }))
  }

  it('posts the exact body with its length and the headers of the caller', async () => {
    const body = [new TextEncoder().encode('{"text":'), new TextEncoder().encode('"江豚"}')]
    const headers = {
      'User-Agent': 'own/1.0',
      Authorization: 'Bearer k',
      'x-none': undefined,
      'content-length': '1',
    }
    const { request, data, stream } = await post(events('data: 1\n\n', 'data: [DONE]\n\n'), { body, headers })
    expect(request).toMatchObject({ method: 'POST', path: '/v1/chat', body: '{"text":"江豚"}' })
    expect(request?.headers).toMatchObject({
      'content-type': 'application/json',
      'content-length': '17',
      accept: 'text/event-stream',
      'user-agent': 'own/1.0',
      authorization: 'Bearer k',
      'accept-encoding': 'identity',
    })
    expect(data).toEqual(['1', '[DONE]'])
    expect([stream.status, stream.json, stream.headers['content-type']]).toEqual([
      200,
      undefined,
      'text/event-stream',
    ])
  })

  it('gives no events after the end, again and again', async () => {
    expect((await post(events('data: 1\n\n'))).all).toEqual([])
  })

  it('turns the user part of an address into a header', async () => {
    await using server = await startLoopback(events('data: 1\n\n'))
    const url = server.url.replace('//', '//us%40er:pw@')
    await readData(await postEventStream({ url, body: '{}', ...options }))
    expect(server.requests[0]?.headers.authorization).toBe(`Basic ${btoa('us@er:pw')}`)
  })

  it.each<[number, string]>([
    [400, 'INVALID_REQUEST'],
    [401, 'AUTH'],
    [402, 'QUOTA'],
    [404, 'NOT_FOUND'],
    [418, 'HTTP_418'],
    [429, 'RATE_LIMIT'],
    [500, 'SERVER'],
    [503, 'OVERLOADED'],
    [504, 'TIMEOUT'],
  ])('turns status %i into %s with message, request id and delay', async (status, code) => {
    const headers = { 'content-type': 'application/octet-stream', 'x-ds-trace-id': 't1', 'retry-after': '2' }
    const fault = await failure(whole(status, headers, '{"error":{"message":"said"}}'))
    expect(fault).toMatchObject({ code, status, requestId: 't1', providerRetryAfterMs: 2000 })
    expect(fault.message).toMatch(
      new RegExp(`^POST http://127.0.0.1:\\d+/v1/chat was answered with status ${status}: said$`),
    )
  })

  it('never shows markup of an error page', async () => {
    const fault = await failure(whole(503, { 'content-type': 'text/html' }, '<html><h1>try later</h1></html>'))
    expect(fault.message).toMatch(/status 503: the body \(text\/html\) holds no message$/)
  })

  it('says so when an error has no body', async () => {
    expect((await failure(whole(400, {}))).message).toMatch(/status 400: the body is empty$/)
  })

  it('lets the caller classify, with secrets masked already', async () => {
    const body = '{"error":{"message":"no credit for sk-test-SENTINEL","code":"insufficient_quota"}}'
    const seen: unknown[] = []
    const fault = await failure(whole(429, { 'content-type': 'application/json' }, body), {
      headers: { authorization: 'Bearer sk-test-SENTINEL' },
      classify: ({ json, text, message, facts, providerMessage }) => {
        seen.push(json, text, providerMessage)
        return new LlmError(message, 'QUOTA', facts)
      },
    })
    expect(fault).toMatchObject({ code: 'QUOTA', status: 429 })
    expect(seen[0]).toEqual({ error: { message: 'no credit for [masked]', code: 'insufficient_quota' } })
    expect(JSON.stringify([fault, seen])).not.toContain('SENTINEL')
  })

  it.each([301, 302, 303, 307, 308])('refuses redirect %i without following it', async (status) => {
    await using target = await startLoopback(events('data: 1\n\n'))
    const fault = await failure(whole(status, { location: `${target.url}/else?key=SENTINEL` }))
    expect(fault).toMatchObject({ code: `HTTP_${status}`, status })
    expect(fault.message).toContain(`${target.url}/else,`)
    expect(fault.message).not.toContain('SENTINEL')
    expect(target.requests).toEqual([])
  })

  it.each([
    ['application/json', '\n\n{"id":"c1"}'],
    ['text/event-stream', '{"id":"c1"}'],
    ['text/plain', '\uFEFF{"id":"c1"} '],
  ])('hands over a JSON body sent as %s', async (contentType, body) => {
    const { stream, data } = await post(whole(200, { 'content-type': contentType }, body))
    expect([stream.json, data]).toEqual([{ id: 'c1' }, []])
  })

  it.each([[{}], [{ 'content-type': 'text/plain' }], [{ 'content-type': 'application/json' }]])(
    'reads events sent with the headers %j',
    async (headers) => {
      expect((await post(whole(200, headers, '\uFEFF: hi\n\ndata: 1\n\n'))).data).toEqual(['1'])
    },
  )

  it.each(['text/event-stream', 'application/json'])(
    'sees an empty %s body as an end without events',
    async (type) => {
      const { stream, data } = await post(
        whole(200, { 'content-type': type }, type === 'application/json' ? '\n\n' : ''),
      )
      expect([stream.json, data]).toEqual([undefined, []])
    },
  )

  it.each<[string, number, string, string, RegExp]>([
    ['a page', 200, 'text/html', '<html>soon</html>', /text\/html where events or JSON were expected$/],
    ['a page under a false type', 200, 'text/event-stream', '<html>soon</html>', /were expected$/],
    ['plain text', 200, 'text/plain', 'database is down', /text\/plain .*: database is down$/],
    ['broken JSON', 200, 'application/json', '{"id":', /: {"id":$/],
    ['no content', 204, 'application/json', '', /status 204/],
  ])('refuses %s', async (_what, status, type, body, message) => {
    const fault = await failure(whole(status, { 'content-type': type, 'x-request-id': 'r1' }, body))
    expect(fault).toMatchObject({ code: 'MALFORMED_RESPONSE', status, requestId: 'r1' })
    expect(fault.message).toMatch(message)
  })

  it.each([
    ['gzip', gzipSync],
    ['deflate', deflateSync],
    ['br', brotliCompressSync],
  ])('decodes %s although it asked for none', async (encoding, compress) => {
    const headers = { 'content-type': 'text/event-stream', 'content-encoding': encoding }
    const text = 'data: 1\n\n'.repeat(5000)
    expect((await post(whole(200, headers, compress(Buffer.from(text))))).data).toHaveLength(5000)
  })

  it('reports broken compressed bytes', async () => {
    await using server = await startLoopback(whole(200, { 'content-encoding': 'gzip' }, 'no gzip at all'))
    const fault = await failureOf(postEventStream({ url: server.url, body: '{}', ...options }).then(readAll))
    expect(['MALFORMED_RESPONSE', 'TRANSPORT']).toContain(fault.code)
  })

  it.each<[string, object]>([
    ['a relative address', { url: '/v1' }],
    ['another protocol', { url: 'ftp://h/v1' }],
    ['a header with a line break', { url: 'http://h', headers: { authorization: 'Bearer SENTINEL\nx' } }],
    ['a header name with a space', { url: 'http://h', headers: { 'a b': 'SENTINEL' } }],
  ])('refuses %s before any I/O', async (_what, request) => {
    const fault = await failureOf(postEventStream({ body: '{}', url: '', ...options, ...request }))
    expect(fault.code).toBe('INVALID_REQUEST')
    expect(fault.message).not.toContain('SENTINEL')
  })
})

describe.each(transports)('getJson on the %s', (_name, options) => {
  it('gets a document', async () => {
    await using server = await startLoopback(whole(200, { 'x-request-id': 'r1' }, ' {"data":[]}'))
    const response = await getJson({ url: `${server.url}/models`, ...options })
    expect(response).toMatchObject({ status: 200, requestId: 'r1', json: { data: [] } })
    expect(server.requests[0]).toMatchObject({ method: 'GET', path: '/models', body: '' })
    expect(server.requests[0]?.headers.accept).toBe('application/json')
  })

  it.each<[number, string, string]>([
    [401, '{"error":"no"}', 'AUTH'],
    [200, '<html>', 'MALFORMED_RESPONSE'],
    [200, `["${'x'.repeat(2000)}"]`, 'RESPONSE_TOO_LARGE'],
  ])('fails on status %i with %s', async (status, body, code) => {
    await using server = await startLoopback(whole(status, {}, body))
    const fault = await failureOf(getJson({ url: server.url, limits: { maxEventBytes: 1000 }, ...options }))
    expect(fault.code).toBe(code)
  })
})

import { cutBytes, cutEvery } from 'dsh-llm-testkit'
import { describe, expect, it } from 'vitest'
import { openCallFetch } from '../src/index.ts'
import { openCall, post, serve } from './support/call-fetch-kit.ts'
import { failureOf, rejection } from './support/read-all.ts'
import { transports } from './support/transports.ts'

const encode = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text)

describe.each(transports)('openCallFetch on the %s', (_name, options) => {
  it('sends the body, the address and the headers of the library', async () => {
    await using server = await serve({ chunks: 'data: 1\n\n' })
    const { call } = openCall(options)
    const headers = {
      'Content-Type': 'application/json; charset=utf-8',
      Accept: 'application/json',
      'X-Api': 'a',
    }
    await (
      await call.fetch(`${server.url}/v1/x?beta=true`, { ...post, body: '{"text":"江豚"}', headers })
    ).text()
    expect(server.requests[0]).toMatchObject({
      method: 'POST',
      url: '/v1/x?beta=true',
      body: '{"text":"江豚"}',
      headers: {
        'content-type': 'application/json; charset=utf-8',
        accept: 'application/json',
        'accept-encoding': 'identity',
        'x-api': 'a',
        'content-length': '17',
      },
    })
  })

  it.each<[string, (url: string) => Parameters<typeof fetch>]>([
    [
      'a URL and pairs',
      (url) => [
        new URL(url),
        {
          ...post,
          headers: [
            ['x-a', '1'],
            ['X-A', '2'],
          ],
        },
      ],
    ],
    [
      'Headers and bytes',
      (url) => [url, { method: 'post', body: encode('{}'), headers: new Headers({ 'x-a': '1, 2' }) }],
    ],
    ['a Request', (url) => [new Request(url, { ...post, headers: { 'x-a': '1, 2' } })]],
    [
      'a Request and its replacement',
      (url) => [new Request(url, { headers: { 'x-b': '1' } }), { ...post, headers: { 'x-a': '1, 2' } }],
    ],
  ])('takes %s', async (_form, parametersFor) => {
    await using server = await serve({ chunks: 'data: 1\n\n' })
    const { call } = openCall(options)
    expect(await (await call.fetch(...parametersFor(`${server.url}/p`))).text()).toBe('data: 1\n\n')
    expect(server.requests[0]).toMatchObject({
      method: 'POST',
      path: '/p',
      body: '{}',
      headers: { 'x-a': '1, 2' },
    })
    expect(server.requests[0]?.headers['x-b']).toBeUndefined()
  })

  it('sends GET without a body, and POST without one as an empty one', async () => {
    await using server = await serve({ chunks: 'data: 1\n\n' })
    for (const init of [undefined, { method: 'POST' }]) await openCall(options).call.fetch(server.url, init)
    expect(
      server.requests.map(({ method, body, headers }) => [method, body, headers['content-length']]),
    ).toEqual([
      ['GET', '', undefined],
      ['POST', '', '0'],
    ])
  })

  it('leaves the last word on headers to its owner', async () => {
    await using server = await serve({ chunks: 'data: 1\n\n' })
    const given: unknown[] = []
    const { call } = openCall({
      ...options,
      headers: (wanted) => {
        given.push(wanted)
        return { ...wanted, 'X-Stainless-OS': undefined, 'User-Agent': 'own/1.0' }
      },
    })
    await call.fetch(server.url, {
      ...post,
      headers: { 'X-Stainless-Os': 'Linux', 'user-agent': 'sdk', 'X-Kept': 'k' },
    })
    expect(given).toEqual([{ 'x-stainless-os': 'Linux', 'user-agent': 'sdk', 'x-kept': 'k' }])
    const headers = server.requests[0]?.headers
    expect([headers?.['x-stainless-os'], headers?.['user-agent'], headers?.['x-kept']]).toEqual([
      undefined,
      'own/1.0',
      'k',
    ])
  })

  it('turns the user part of an address into a header', async () => {
    await using server = await serve({ chunks: 'data: 1\n\n' })
    await openCall(options).call.fetch(server.url.replace('//', '//us:pw@'), post)
    expect(server.requests[0]?.headers['authorization']).toBe(`Basic ${btoa('us:pw')}`)
  })

  it('gives the library status and headers of the answer, and its owner the same and the request id', async () => {
    const headers = { 'x-request-id': 'r1', 'x-ratelimit-left': '7' }
    await using server = await serve({ status: 201, headers, chunks: 'data: 1\n\n' })
    const { call } = openCall(options)
    expect([call.status, call.headers, call.requestId, call.failure]).toEqual([
      undefined,
      {},
      undefined,
      undefined,
    ])
    const response = await call.fetch(server.url, post)
    expect([response.status, response.headers.get('x-ratelimit-left')]).toEqual([201, '7'])
    expect([call.status, call.headers['x-ratelimit-left'], call.requestId]).toEqual([201, '7', 'r1'])
  })

  it('shows both taps what they see of any call', async () => {
    await using server = await serve({ chunks: 'data: 1\n\n' })
    const seen: unknown[] = []
    const { call } = openCall({
      ...options,
      onRequest: ({ method, body, headers }) => seen.push(method, body, headers['authorization']),
      onResponse: ({ status }) => seen.push(status),
    })
    await call.fetch(server.url, { ...post, headers: { authorization: 'Bearer SENTINEL' } })
    expect(seen).toEqual(['POST', '{}', '[masked]', 200])
  })

  it('never hands on the first half of a line end, which parsers take for a whole one', async () => {
    const body = encode('data: 1\r\n\r\ndata: 2\r\n\r')
    const cuts = [cutEvery(body, 1), ...Array.from(body, (_, at) => cutBytes(body, [at]))]
    await using server = await serve((_request, index) => ({ chunks: cuts[index] }))
    for (const _ of cuts) {
      const { call } = openCall(options)
      const pieces: Uint8Array[] = []
      for await (const piece of (await call.fetch(server.url, post)).body ?? []) pieces.push(piece)
      expect(pieces.every((piece) => piece.length > 0 && piece.at(-1) !== 13)).toBe(true)
      expect(Buffer.concat(pieces).toString()).toBe('data: 1\r\n\r\ndata: 2\r\n\r\n')
    }
  })

  it('hands on the exact bytes and sees the same events, wherever the network cuts them', async () => {
    const body = encode(
      '\uFEFF: hi\r\n\r\nevent: a\r\ndata: {"t":"é豚"}\r\n\r\n\n\ndata: 2\ndata: 3\n\nid: 4\n\ndata: [DONE]',
    )
    const cuts = [cutEvery(body, 1), ...Array.from(body, (_, at) => cutBytes(body, [at]))]
    await using server = await serve((_request, index) => ({ chunks: cuts[index] }))
    for (const _ of cuts) {
      const { call, seen } = openCall(options)
      const response = await call.fetch(server.url, post)
      // The last event gets the blank line that it lacks.
      expect(new Uint8Array(await response.arrayBuffer())).toEqual(Uint8Array.of(...body, 10, 10))
      expect([seen, call.failure]).toEqual([['{"t":"é豚"}', '2\n3', '[DONE]'], undefined])
    }
  })

  it.each([200, 201, 204, 205])(
    'gives the library an empty stream for an empty answer with status %i',
    async (status) => {
      await using server = await serve({ status })
      const { call, seen } = openCall(options)
      const response = await call.fetch(server.url, post)
      expect([response.status, await response.text(), seen, call.failure]).toEqual([status, '', [], undefined])
    },
  )

  it('refuses a second request before it leaves, and leaves the first one alone', async () => {
    await using server = await serve({ chunks: 'data: 1\n\n' })
    const { call } = openCall(options)
    const response = await call.fetch(server.url, post)
    const error = await rejection(call.fetch(server.url, post))
    expect(error).toMatchObject({ code: 'ADAPTER_PROTOCOL', message: /a second request for one call/ })
    expect([call.failure, await response.text(), server.requests.length]).toEqual([error, 'data: 1\n\n', 1])
  })

  it('keeps the failure that made the library try again', async () => {
    await using server = await serve({ status: 503 })
    const { call } = openCall(options)
    const first = await rejection(call.fetch(server.url, post))
    expect((await failureOf(call.fetch(server.url, post))).code).toBe('ADAPTER_PROTOCOL')
    expect([call.failure, server.requests.length]).toEqual([first, 1])
  })
})

describe('openCallFetch before any I/O', () => {
  const neverFetch: typeof fetch = () => Promise.reject(new Error('It must not be called'))

  it.each<[string, string | undefined]>([
    ['https://api.example.com/v1', undefined],
    ['https://api.example.com:444/v1', 'https://api.example.com:444'],
    ['http://api.example.com', 'http://api.example.com'],
    ['https://key:SENTINEL@elsewhere.example', 'https://elsewhere.example'],
  ])('compares the origin of %s', async (url, refused) => {
    const fetch: typeof neverFetch = () => Promise.resolve(new Response('data: 1\n\n'))
    const { call } = openCall({
      fetch: refused === undefined ? fetch : neverFetch,
      origin: 'https://api.example.com/base',
    })
    if (refused === undefined) {
      expect((await call.fetch(url, post)).status).toBe(200)
      return
    }
    const fault = await failureOf(call.fetch(url, post))
    expect(fault.code).toBe('INVALID_REQUEST')
    expect(fault.message).toContain(`to ${refused}: this call must keep to https://api.example.com;`)
    expect(call.failure?.failure).toEqual(fault)
  })

  it.each<[string, string, RequestInit, RegExp]>([
    ['another method', 'https://h', { method: 'DELETE' }, /its method is DELETE/],
    ['a GET with a body', 'https://h', { body: '{}' }, /a GET with a body/],
    ['a form', 'https://h', { method: 'POST', body: new FormData() }, /neither text nor bytes/],
    ['a relative address', '/v1', post, /not an absolute URL/],
    [
      'a header with a line break',
      'https://h',
      { ...post, headers: { 'x-key': 'SENTINEL\n' + 'b' } },
      /"x-key"/,
    ],
  ])('refuses %s', async (_what, url, init, message) => {
    const { call } = openCall({ fetch: neverFetch })
    const fault = await failureOf(call.fetch(url, init))
    expect(fault).toMatchObject({ code: 'INVALID_REQUEST', message })
    expect(fault.message).not.toContain('SENTINEL')
    expect(call.failure?.failure).toEqual(fault)
  })

  it('refuses limits that cannot be', async () => {
    const { call } = openCall({ fetch: neverFetch, limits: { totalMs: -1 } })
    expect(await failureOf(call.fetch('https://h', post))).toMatchObject({
      code: 'INVALID_REQUEST',
      message: /totalMs/,
    })
  })

  it('masks the secrets it was given, and those of the request once it is made', async () => {
    const call = openCallFetch({ fetch: neverFetch, secrets: ['first-secret'] })
    expect(call.redact('first-secret second-secret')).toBe('[masked] second-secret')
    await rejection(call.fetch('https://h', { ...post, headers: { 'x-api-key': 'second-secret' } }))
    expect(call.redact('first-secret second-secret')).toBe('[masked] [masked]')
  })
})

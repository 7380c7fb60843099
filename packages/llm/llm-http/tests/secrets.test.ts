import { describe, expect, it } from 'vitest'
import { errorChain } from 'dsh-llm'
import { postEventStream, type RequestTap, type ResponseTap } from '../src/index.ts'
import { events, startLoopback, whole } from './support/loopback-server.ts'
import { readAll, rejection } from './support/read-all.ts'
import { transports } from './support/transports.ts'

/** Everything an error shows: messages, stacks, own fields and causes. */
function shown(error: unknown): string {
  return errorChain(error)
    .map((link) =>
      link instanceof Error ? `${link.message}${link.stack}${JSON.stringify(link)}` : String(link),
    )
    .join('\n')
}

describe.each(transports)('secrets on the %s', (_name, options) => {
  const headers = { authorization: 'Bearer sk-test-SENTINEL', cookie: 'id=SENTINEL-cookie', 'x-plain': 'seen' }

  it.each([
    ['JSON', 'application/json', '{"error":{"message":"Bad key sk-test-SENTINEL. Bearer sk-test-SENTINEL"}}'],
    ['plain text', 'text/plain', 'id=SENTINEL-cookie is bad'],
    ['a cut body', 'application/json', '{"error":"key sk-test-SENT'],
  ])('echoed in an error as %s stay hidden', async (_what, type, body) => {
    await using server = await startLoopback(whole(401, { 'content-type': type }, body))
    const error = await rejection(postEventStream({ url: server.url, body: '{}', headers, ...options }))
    expect(shown(error)).not.toContain('SENT')
    expect(shown(error)).toContain('[masked]')
  })

  it('echoed in a 2xx answer that is no stream stay hidden', async () => {
    await using server = await startLoopback(
      whole(200, { 'content-type': 'text/plain' }, 'got sk-test-SENTINEL'),
    )
    const error = await rejection(postEventStream({ url: server.url, body: '{}', headers, ...options }))
    expect(shown(error)).toContain('got [masked]')
  })

  it('are masked in the tap, which shows all the rest exactly', async () => {
    await using server = await startLoopback((response, request) => {
      response.setHeader('set-cookie', 'SENTINEL-set')
      response.setHeader('x-request-id', 'r1')
      events('data: 1\n\n')(response, request)
    })
    const taps: (RequestTap | ResponseTap)[] = []
    const stream = await postEventStream({
      url: `${server.url}/v1?key=SENTINEL&v=2`,
      body: '{"user":"own-SENTINEL","text":"hi"}',
      headers,
      secrets: ['own-SENTINEL'],
      onRequest: (request) => taps.push(request),
      onResponse: (response) => taps.push(response),
      ...options,
    })
    await readAll(stream)
    expect(taps[0]).toEqual({
      method: 'POST',
      url: `${server.url}/v1?key=[masked]&v=2`,
      headers: {
        accept: 'text/event-stream',
        'accept-encoding': 'identity',
        authorization: '[masked]',
        'content-type': 'application/json',
        cookie: '[masked]',
        'x-plain': 'seen',
      },
      body: '{"user":"[masked]","text":"hi"}',
    })
    expect(taps[1]).toMatchObject({ status: 200, requestId: 'r1', headers: { 'set-cookie': '[masked]' } })
    expect(server.requests[0]).toMatchObject({ body: '{"user":"own-SENTINEL","text":"hi"}', headers })
    expect(stream.redact('x own-SENTINEL')).toBe('x [masked]')
  })

  it.each(['onRequest', 'onResponse'] as const)('a throw of %s reaches the caller unchanged', async (tap) => {
    await using server = await startLoopback(events('data: 1\n\n'))
    const bug = new Error('bug in the tap')
    const taps = {
      [tap]: () => {
        throw bug
      },
    }
    expect(await rejection(postEventStream({ url: server.url, body: '{}', ...options, ...taps }))).toBe(bug)
  })
})

describe('an injected fetch that fails with a secret in its words', () => {
  it('hides it in the message and in every cause', async () => {
    const fetch = () => {
      const cause = Object.assign(new Error('header sk-test-SENTINEL refused'), { code: 'ECONNRESET' })
      return Promise.reject(new TypeError('fetch failed for https://h/?key=SENTINEL', { cause }))
    }
    const error = await rejection(
      postEventStream({
        url: 'https://h/v1?key=SENTINEL',
        body: '{}',
        headers: { 'api-key': 'sk-test-SENTINEL' },
        fetch,
      }),
    )
    expect(error).toMatchObject({ code: 'TRANSPORT' })
    expect(shown(error)).not.toContain('SENTINEL')
  })
})

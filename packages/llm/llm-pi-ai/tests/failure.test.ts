import { createUserMessage, type LlmFailure } from 'dsh-llm'
import { type Answer, jsonAnswer, sseFrames } from 'dsh-llm-testkit'
import { describe, expect, it } from 'vitest'
import { toTextFailure } from '../src/failure.ts'
import { fourWires, stage, type WireName, wires } from './support/requests-support.ts'

const an = 'anthropic-messages'
const oc = 'openai-completions'
const or = 'openai-responses'
const go = 'google-generative-ai'
const mi = 'mistral-conversations'
const question = { provider: 'route', model: 'm1', messages: [createUserMessage('hi')] }

async function failureOf(wire: WireName, answer: Answer): Promise<LlmFailure> {
  await using set = await stage({ wire, script: [answer] })
  const failure = await set.failure()
  expect(set.server.requests).toHaveLength(1)
  return failure
}

const textFacts = { redact: (text: string) => text, stage: 'sent' as const, isCutEvent: false }

describe('toTextFailure', () => {
  it.each<[string, string, number | undefined]>([
    ['429 {"error":{"message":"slow down"}}', 'RATE_LIMIT', 429],
    ['429: {"message":"slow down","type":"rate_limit","code":"rl"}', 'RATE_LIMIT', 429],
    ['OpenAI API error (429): {"message":"slow down"}', 'RATE_LIMIT', 429],
    ['Mock API error (503): busy', 'OVERLOADED', 503],
    ['503 status code (no body)', 'OVERLOADED', 503],
    ["400 This model's maximum context length is 1000 tokens", 'CONTEXT_WINDOW_EXCEEDED', 400],
    ['401 invalid key', 'AUTH', 401],
    ['402: {"message":"pay"}', 'QUOTA', 402],
    ['404: no such model', 'NOT_FOUND', 404],
    ['500 {"error":{"message":"broken"}}', 'SERVER', 500],
    ['529 {"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}', 'OVERLOADED', 529],
    ['418: teapot', 'HTTP_418', 418],
    ['{"error":{"code":429,"message":"quota","status":"RESOURCE_EXHAUSTED"}}', 'RATE_LIMIT', 429],
    ['{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}', 'OVERLOADED', undefined],
    ['got status: UNAVAILABLE. {"error":{"code":503,"message":"busy"}}', 'OVERLOADED', 503],
    ['rate_limit_exceeded: Rate limit reached, try again in 11s', 'RATE_LIMIT', undefined],
    ['Throttling error: Too many requests', 'RATE_LIMIT', undefined],
    ['terminated', 'TRANSPORT', undefined],
    ['terminated: other side closed (UND_ERR_SOCKET)', 'TRANSPORT', undefined],
    ['Connection error.: connect ECONNREFUSED 127.0.0.1:1 (ECONNREFUSED)', 'TRANSPORT', undefined],
    ['fetch failed', 'TRANSPORT', undefined],
    ['Request timed out.', 'TIMEOUT', undefined],
    ['Stream ended without finish_reason', 'STREAM_CLOSED', undefined],
    ['Anthropic stream ended before message_stop', 'STREAM_CLOSED', undefined],
    ['OpenAI Responses stream ended before a terminal response event', 'STREAM_CLOSED', undefined],
    ['Google stream ended without a finish reason', 'STREAM_CLOSED', undefined],
    ['Incomplete JSON segment at the end', 'STREAM_CLOSED', undefined],
    ['boom', 'SERVER', undefined],
    ['', 'SERVER', undefined],
    ['200 OK', 'SERVER', undefined],
  ])('reads %j as %s with the status %s', (text, code, status) => {
    const failure = toTextFailure(text, textFacts)
    expect(failure.code).toBe(code)
    expect(failure.status).toBe(status)
  })

  it.each(['429: bad key k-SENTINEL', 'fetch failed for k-SENTINEL', 'boom k-SENTINEL'])(
    'masks secrets in %j',
    (text) => {
      const failure = toTextFailure(text, {
        ...textFacts,
        redact: (value) => value.replaceAll('k-SENTINEL', '[masked]'),
      })
      expect(failure.message).toContain('[masked]')
      expect(failure.message).not.toContain('SENTINEL')
    },
  )

  it('shows at most 200 characters of a text', () => {
    expect(toTextFailure(`fetch failed ${'x'.repeat(5000)}`, textFacts).message.length).toBeLessThan(300)
  })
})

const anthropic = (type: string, message: string) => ({
  type: 'error',
  error: { type, message },
  request_id: 'req_body',
})
const google = (code: number, status: string, message: string, details: readonly object[] = []) => ({
  error: { code, message, status, details },
})
const openai = (message: string, code: string | null, type = 'invalid_request_error') => ({
  error: { message, type, param: null, code },
})
const detail = (kind: string, fields: object) => ({
  '@type': `type.googleapis.com/google.rpc.${kind}`,
  ...fields,
})
const badKey = detail('ErrorInfo', { reason: 'API_KEY_INVALID', domain: 'googleapis.com' })

describe('failure: statuses with the bodies of providers', () => {
  it.each<[WireName, number, string, object]>([
    [an, 400, 'INVALID_REQUEST', anthropic('invalid_request_error', 'max_tokens: field required')],
    [
      an,
      400,
      'CONTEXT_WINDOW_EXCEEDED',
      anthropic('invalid_request_error', 'prompt is too long: 9 tokens > 8 maximum'),
    ],
    [an, 400, 'QUOTA', anthropic('invalid_request_error', 'Your credit balance is too low to access the API')],
    [an, 401, 'AUTH', anthropic('authentication_error', 'invalid x-api-key')],
    [an, 402, 'QUOTA', anthropic('billing_error', 'Payment required')],
    [an, 403, 'AUTH', anthropic('permission_error', 'Not allowed')],
    [an, 404, 'NOT_FOUND', anthropic('not_found_error', 'model: nope')],
    [an, 413, 'CONTEXT_WINDOW_EXCEEDED', anthropic('request_too_large', 'Request exceeds the maximum size')],
    [an, 429, 'RATE_LIMIT', anthropic('rate_limit_error', 'This request would exceed your rate limit')],
    [an, 500, 'SERVER', anthropic('api_error', 'Internal server error')],
    [an, 504, 'TIMEOUT', anthropic('timeout_error', 'Too slow')],
    [an, 529, 'OVERLOADED', anthropic('overloaded_error', 'Overloaded')],
    [go, 400, 'INVALID_REQUEST', google(400, 'INVALID_ARGUMENT', 'Unknown name "foo"')],
    [
      go,
      400,
      'AUTH',
      google(400, 'INVALID_ARGUMENT', 'API key not valid. Please pass a valid API key.', [badKey]),
    ],
    [
      go,
      400,
      'CONTEXT_WINDOW_EXCEEDED',
      google(
        400,
        'INVALID_ARGUMENT',
        'The input token count (9) exceeds the maximum number of tokens allowed (8).',
      ),
    ],
    [go, 401, 'AUTH', google(401, 'UNAUTHENTICATED', 'No credentials')],
    [go, 403, 'AUTH', google(403, 'PERMISSION_DENIED', 'Not allowed')],
    [go, 404, 'NOT_FOUND', google(404, 'NOT_FOUND', 'models/nope is not found')],
    [go, 429, 'RATE_LIMIT', google(429, 'RESOURCE_EXHAUSTED', 'Resource has been exhausted')],
    [go, 500, 'SERVER', google(500, 'INTERNAL', 'Internal error')],
    [go, 503, 'OVERLOADED', google(503, 'UNAVAILABLE', 'The model is overloaded')],
    [go, 504, 'TIMEOUT', google(504, 'DEADLINE_EXCEEDED', 'Too slow')],
    [or, 400, 'INVALID_REQUEST', openai('Unsupported value', 'unsupported_value')],
    [
      or,
      400,
      'CONTEXT_WINDOW_EXCEEDED',
      openai('Your input exceeds the context window', 'context_length_exceeded'),
    ],
    [or, 401, 'AUTH', openai('Incorrect API key provided', 'invalid_api_key')],
    [or, 404, 'NOT_FOUND', openai('The model does not exist', 'model_not_found')],
    [or, 408, 'TIMEOUT', openai('Timeout', null)],
    [or, 429, 'QUOTA', openai('You exceeded your current quota', 'insufficient_quota', 'insufficient_quota')],
    [or, 429, 'RATE_LIMIT', openai('Rate limit reached', 'rate_limit_exceeded', 'requests')],
    [or, 500, 'SERVER', openai('The server had an error', null, 'server_error')],
    [
      oc,
      400,
      'CONTEXT_WINDOW_EXCEEDED',
      openai('maximum context length is 8 tokens', 'context_length_exceeded'),
    ],
    [oc, 402, 'QUOTA', openai('Insufficient balance', null)],
    [oc, 403, 'AUTH', openai('Country not supported', 'unsupported_country_region_territory')],
    [oc, 408, 'TIMEOUT', openai('Timeout', null)],
    [oc, 413, 'CONTEXT_WINDOW_EXCEEDED', openai('Too large', null)],
    [oc, 429, 'QUOTA', openai('You exceeded your current quota', 'insufficient_quota', 'insufficient_quota')],
    [oc, 503, 'OVERLOADED', openai('Busy', null)],
    [mi, 401, 'AUTH', { message: 'Unauthorized', request_id: 'r' }],
    [
      mi,
      429,
      'RATE_LIMIT',
      { object: 'error', message: 'Rate limit exceeded', type: 'rate_limited', code: '1300' },
    ],
    [mi, 422, 'INVALID_REQUEST', { detail: [{ msg: 'Field required', loc: ['body', 'model'] }] }],
  ])('reads over %s the status %i as %s after one request', async (wire, status, code, body) => {
    expect(await failureOf(wire, jsonAnswer(body, { status }))).toMatchObject({ code, status })
  })

  it.each([
    [an, 'request-id'],
    [or, 'x-request-id'],
    [oc, 'x-request-id'],
    [mi, 'mistral-correlation-id'],
  ] as const)('tells over %s the request id of %s', async (wire, header) => {
    const answer = jsonAnswer({ message: 'no' }, { status: 500, headers: { [header]: 'req-7' } })
    expect(await failureOf(wire, answer)).toMatchObject({ code: 'SERVER', requestId: 'req-7' })
  })

  it.each(fourWires)('tells over %s how long Retry-After asks to wait', async (wire) => {
    const wait = async (headers: Record<string, string>): Promise<number | undefined> => {
      const failure = await failureOf(wire, jsonAnswer({ message: 'slow' }, { status: 429, headers }))
      return failure.providerRetryAfterMs
    }
    expect(await wait({ 'retry-after': '7' })).toBe(7000)
    expect(await wait({ 'retry-after-ms': '1500' })).toBe(1500)
    expect(await wait({})).toBeUndefined()
  })

  it('reads the delay of Google from the body', async () => {
    const info = detail('RetryInfo', { retryDelay: '34.4s' })
    const body = google(429, 'RESOURCE_EXHAUSTED', 'Resource has been exhausted', [info])
    expect(await failureOf(go, jsonAnswer(body, { status: 429 }))).toMatchObject({
      providerRetryAfterMs: 34_400,
    })
  })

  it.each([...fourWires, mi] as const)('shows no part of a key that an error of %s repeats', async (wire) => {
    const answer = jsonAnswer({ message: 'Bad key k-test-SENTINEL' }, { status: 401 })
    const failure = await failureOf(wire, answer)
    expect(failure.code).toBe('AUTH')
    expect(failure.message).not.toContain('SENTINEL')
  })
})

/** An error in the words of each wire. */
const inBand: readonly [WireName, { message: string; type: string; code?: string | number }, object][] = [
  [oc, { message: 'Busy', type: 'overloaded_error' }, { code: 'OVERLOADED' }],
  [oc, { message: 'Slow', type: 'requests', code: 'rate_limit_exceeded' }, { code: 'RATE_LIMIT' }],
  [oc, { message: 'Broken', type: 'server_error', code: 502 }, { code: 'SERVER', status: 502 }],
  [or, { message: 'Broken', type: 'server_error', code: 'server_error' }, { code: 'SERVER' }],
  [
    or,
    { message: 'Rate limit reached, try again in 11s', type: 'requests', code: 'rate_limit_exceeded' },
    { code: 'RATE_LIMIT', providerRetryAfterMs: 11_000 },
  ],
  [an, { message: 'Overloaded', type: 'overloaded_error' }, { code: 'OVERLOADED' }],
  [an, { message: 'Internal server error', type: 'api_error' }, { code: 'SERVER' }],
  [go, { message: 'Overloaded', type: 'UNAVAILABLE', code: 503 }, { code: 'OVERLOADED', status: 503 }],
  [go, { message: 'Exhausted', type: 'RESOURCE_EXHAUSTED', code: 429 }, { code: 'RATE_LIMIT', status: 429 }],
]

describe('failure: inside a stream', () => {
  it.each(inBand)('reads over %s the error %j and keeps the text', async (wire, error, expected) => {
    await using set = await stage({ wire, script: [{ chunks: wires[wire].render({ text: 'Par', error }) }] })
    const { finish, partial } = await set.llm.generate(question)
    expect(finish.reason).toMatchObject({ kind: 'error', failure: expected })
    expect(partial).toEqual([{ type: 'text', text: 'Par' }])
  })

  it.each<[WireName, string]>([
    [oc, 'content_filter'],
    [or, 'content_filter'],
    [an, 'refusal'],
    [go, 'safety'],
    [go, 'blocklist'],
    [go, 'prohibited_content'],
    [go, 'spii'],
  ])('reads over %s the finish %s as CONTENT_FILTER', async (wire, finish) => {
    const failure = await failureOf(wire, { chunks: wires[wire].render({ text: 'Par', finish }) })
    expect(failure.code).toBe('CONTENT_FILTER')
  })

  it.each(['SAFETY', 'PROHIBITED_CONTENT', 'OTHER'])(
    'reads a prompt that Gemini blocks for %s as CONTENT_FILTER',
    async (blockReason) => {
      const chunks = sseFrames([{ promptFeedback: { blockReason }, modelVersion: 'gemini-demo' }], {
        eol: '\r\n',
        done: false,
      })
      expect((await failureOf(go, { chunks })).code).toBe('CONTENT_FILTER')
    },
  )

  it('reads a full context window of Anthropic as what it is', async () => {
    const chunks = wires[an].render({ text: 'Par', finish: 'model_context_window_exceeded' })
    expect((await failureOf(an, { chunks })).code).toBe('CONTEXT_WINDOW_EXCEEDED')
  })

  it.each(fourWires)('takes the end of the bytes over %s for no end of the answer', async (wire) => {
    const chunks = wires[wire]
      .render({ text: 'Par', finish: null })
      .filter((frame) => !frame.includes('[DONE]'))
    expect((await failureOf(wire, { chunks })).code).toBe('STREAM_CLOSED')
  })
})

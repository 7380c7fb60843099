import type { ErrorResponse } from 'dsh-llm-http'
import { describe, expect, it } from 'vitest'
import { toHttpError } from '../src/failure.ts'
import { createResponseRules, type ResponseRules } from '../src/response-rules.ts'

function errorOf(
  status: number,
  json: unknown,
  rules: Partial<ResponseRules> = {},
): ReturnType<typeof toHttpError> {
  const text = json === undefined ? '' : JSON.stringify(json)
  const response: ErrorResponse = {
    status,
    headers: {},
    text,
    json,
    message: `Status ${status}`,
    facts: { status },
  }
  return toHttpError(response, createResponseRules(rules))
}

const message = (text: string, more: object = {}): object => ({ error: { message: text, ...more } })

const overflows = [
  "This model's maximum context length is 5000 tokens. However, you requested 6001 tokens",
  "Input length (7100) exceeds model's maximum context length (7000).",
  'prompt is too long: 9001 tokens > 9000 maximum',
  'Input length 8005 exceeds the maximum allowed input length of 8000 tokens.',
  'the request exceeds the available context size',
  'prompt too long; exceeded max context length by 12 tokens',
  'input length and max_tokens exceed context limit',
  'Your input exceeds the context window of this model',
  'Input is too long for requested model',
  'Range of input length should be [1, 30720]',
  'Your request exceeded model token limit: 8192 (requested: 9000)',
  'Please reduce the length of the messages or completion',
  'The input token count (40000) exceeds the maximum number of tokens allowed (32768)',
  'This model maximum prompt length is 131072 but the request contains 150000 tokens',
  "Input is longer than the model's context length",
  'The number of tokens to keep from the initial prompt is greater than the context length',
  'Prompt exceeds max length',
]

const rows: readonly (readonly [status: number, body: unknown, code: string])[] = [
  ...overflows.map((text) => [400, message(text), 'CONTEXT_WINDOW_EXCEEDED'] as const),
  [400, message('x', { code: 'context_length_exceeded' }), 'CONTEXT_WINDOW_EXCEEDED'],
  [400, message('x', { code: 400, type: 'exceed_context_size_error' }), 'CONTEXT_WINDOW_EXCEEDED'],
  [500, message('the request exceeds the available context size'), 'CONTEXT_WINDOW_EXCEEDED'],
  [413, undefined, 'CONTEXT_WINDOW_EXCEEDED'],
  [400, message('max_tokens must be less than or equal to 4096'), 'INVALID_REQUEST'],
  [400, message('temperature exceeds maximum allowed value'), 'INVALID_REQUEST'],
  [400, message('schema is too long'), 'INVALID_REQUEST'],
  [400, undefined, 'INVALID_REQUEST'],
  [400, null, 'INVALID_REQUEST'],
  [422, { detail: [{ loc: ['body'], msg: 'unknown variant' }] }, 'INVALID_REQUEST'],
  [429, message('Too many tokens, please wait before trying again'), 'RATE_LIMIT'],
  [429, message("This model's maximum context length", { type: 'rate_limit_error' }), 'RATE_LIMIT'],
  [429, message('Limit for requests per minute reached, wait 20s', { type: 'rate_limit_error' }), 'RATE_LIMIT'],
  [
    429,
    message(
      'Too many requests. Your concurrency is 26, over your limit based on your remaining balance. Please top up your balance',
      {
        type: 'rate_limit_error',
        code: 'invalid_request_error',
      },
    ),
    'RATE_LIMIT',
  ],
  [429, message('No credit left on this account', { code: 'insufficient_quota' }), 'QUOTA'],
  [429, message('No credit left on this account'), 'QUOTA'],
  [429, message('Current token count exceeds your organization quota'), 'QUOTA'],
  [429, { error: { code: '1308', message: 'usage limit' } }, 'QUOTA'],
  [429, undefined, 'RATE_LIMIT'],
  [400, message('insufficient quota for this key', { code: 'insufficientquota' }), 'QUOTA'],
  [402, message('Insufficient Balance', { code: 'invalid_request_error' }), 'QUOTA'],
  [403, message('Sorry, your account balance is insufficient', { code: 'insufficient_balance' }), 'QUOTA'],
  [403, message('Country not supported'), 'AUTH'],
  [
    401,
    message('Authentication Fails', { type: 'authentication_error', code: 'invalid_request_error' }),
    'AUTH',
  ],
  [401, message('maximum context length'), 'AUTH'],
  [400, { code: 'Client specified an invalid argument', error: 'Incorrect API key provided: xa***' }, 'AUTH'],
  [
    400,
    [
      {
        error: { code: 400, message: 'API key not valid. Please pass a valid one', status: 'INVALID_ARGUMENT' },
      },
    ],
    'AUTH',
  ],
  [
    400,
    message('filtered', { code: 'content_filter', innererror: { code: 'ResponsibleAIPolicyViolation' } }),
    'CONTENT_FILTER',
  ],
  [400, message('Content Exists Risk'), 'CONTENT_FILTER'],
  [400, message('Invalid `signature` in thinking block'), 'REPLAY_STATE_REJECTED'],
  [404, message('maximum context length'), 'NOT_FOUND'],
  [408, undefined, 'TIMEOUT'],
  [409, undefined, 'HTTP_409'],
  [500, message('x', { code: 'invalid_request_error' }), 'SERVER'],
  [500, message('x', { type: 'overloaded_error' }), 'OVERLOADED'],
  [502, message('x'), 'SERVER'],
  [503, message('Service overloaded'), 'OVERLOADED'],
  [504, undefined, 'TIMEOUT'],
  [529, message('x'), 'OVERLOADED'],
]

describe('toHttpError', () => {
  it.each(rows)('%i %j is %s', (status, body, code) => {
    const error = errorOf(status, body)
    expect(error.code).toBe(code)
    expect(error.failure).toMatchObject({ status, code })
  })

  it('looks for the cause that a router quotes', () => {
    const body = message('Provider returned error', { metadata: { raw: 'prompt is too long' } })
    expect(errorOf(400, body).code).toBe('CONTEXT_WINDOW_EXCEEDED')
  })

  it('lets a dialect name the codes of its server, within what the status allows', () => {
    const rules = { failureCodes: { e77: 'QUOTA' } }
    expect(errorOf(429, message('x', { code: 'E77' }), rules).code).toBe('QUOTA')
    expect(errorOf(401, message('x', { code: 'E77' }), rules).code).toBe('AUTH')
  })

  it('takes the wait from the body where no header tells one', () => {
    const details = [{ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '34.5s' }]
    expect(errorOf(429, [message('x', { details })]).failure.providerRetryAfterMs).toBe(34_500)
    expect(errorOf(429, message('Please try again in 250ms')).failure.providerRetryAfterMs).toBe(250)
  })
})

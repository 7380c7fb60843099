/**
 * What each handed case comes to, by its id, in the words of `summary`. Where a case and the design differ the design
 * stands: blocks stay open on a failure, blank arguments stay blank, an unknown finish reason names its code.
 */
export const streamAnswers: Readonly<Record<string, readonly string[]>> = {
  'sse-utf8-split-cjk': ['text 江豚', 'stop'],
  'sse-invalid-utf8-byte': ['text x\ufffdy', 'stop'],
  'sse-many-frames-one-read': ['text Hi', 'stop'],
  'sse-crlf-lines': ['text Hi', 'stop'],
  'sse-multi-data-lines': ['text Hi', 'stop'],
  'sse-colon-space-in-payload': ['text k": ["v"]\ndata: x', 'stop'],
  'sse-comment-keepalive': ['text Hi', 'stop'],
  'sse-comments-only-then-eof': ['error STREAM_CLOSED'],
  'sse-zero-byte-body': ['error STREAM_CLOSED'],
  'sse-leading-bom': ['text Hi', 'stop'],
  'sse-last-event-without-blank-line': ['text Hi', 'stop'],
  'sse-eof-inside-json': ['open text', 'error STREAM_CLOSED'],
  'sse-done-but-socket-open': ['text Hi', 'stop'],
  'sse-named-error-event': ['open text', 'error SERVER', 'worker lost'],
  'sse-plain-text-trailer': ['open reasoning', 'error STREAM_CLOSED'],
  'fin-clean-eof-without-terminal': ['open text', 'error STREAM_CLOSED'],
  'fin-done-without-reason-text': ['text Hello', 'stop'],
  'fin-done-without-reason-open-call': ['open tool-call', 'error STREAM_CLOSED'],
  'fin-empty-string-reason': ['text Hello', 'stop'],
  'fin-stop-although-tool-calls': ['call call_a read {"z":1}', 'tool-calls'],
  'fin-tool-calls-but-none': ['error EMPTY_RESPONSE'],
  'fin-length-with-open-call': ['open tool-call', 'max-tokens'],
  'fin-content-filter': ['open text', 'error CONTENT_FILTER'],
  'fin-insufficient-resource': ['open text', 'error INSUFFICIENT_SYSTEM_RESOURCE'],
  'fin-content-after-reason': ['reasoning r', 'text answer', 'stop'],
  'fin-duplicate-terminal-chunks': ['text ok', 'usage {"inputTokens":5,"outputTokens":1}', 'stop'],
  'usage-after-finish-empty-choices': ['text ok', 'usage {"inputTokens":7,"outputTokens":2}', 'stop'],
  'usage-cumulative-every-chunk': ['text ab', 'usage {"inputTokens":10,"outputTokens":2}', 'stop'],
  'usage-absent': ['text a', 'stop'],
  'usage-only-in-middle': ['text ab', 'usage {"inputTokens":9,"outputTokens":1}', 'stop'],
  'usage-zero-completion': ['usage {"inputTokens":6,"outputTokens":0}', 'error EMPTY_RESPONSE'],
  'usage-cached-subset-openai': [
    'text a',
    'usage {"inputTokens":20,"outputTokens":5,"cacheReadTokens":80,"reasoningTokens":3}',
    'stop',
  ],
  'usage-cached-exceeds-prompt': [
    'text a',
    'usage {"inputTokens":0,"outputTokens":1,"cacheReadTokens":12}',
    'stop',
  ],
  'usage-both-cache-shapes': [
    'text a',
    'usage {"inputTokens":20,"outputTokens":1,"cacheReadTokens":30}',
    'stop',
  ],
  'delta-missing': ['text ok', 'stop'],
  'delta-content-array': ['reasoning Hm ', 'text Hi', 'stop'],
  'delta-three-kinds-one-chunk': ['reasoning r', 'text t', 'call call_a ls {}', 'tool-calls'],
  'empty-deltas-make-no-blocks': ['call call_a ls {}', 'tool-calls'],
  'rsn-field-named-reasoning': ['reasoning First add', 'text 42', 'stop'],
  'rsn-back-and-forth': ['reasoning a', 'text b', 'reasoning c', 'text d', 'stop'],
  'rsn-think-tag-split-optin': ['reasoning secret', 'text shown', 'stop'],
  'rsn-only-answer-stop': ['reasoning draft: it is 7', 'stop'],
  'rsn-nothing-at-all-stop': ['usage {"inputTokens":57,"outputTokens":0}', 'error EMPTY_RESPONSE'],
  'ds-cut-at-ten-minutes': ['open reasoning', 'error TRANSPORT'],
  'tc-index-missing-two-ids': [
    'call call_a read {"zone":"n1"}',
    'call call_b read {"zone":"n2"}',
    'tool-calls',
  ],
  'tc-same-index-new-id': ['call call_a read {"zone":"n1"}', 'call call_b read {"zone":"n2"}', 'tool-calls'],
  'tc-same-index-same-id-twice': ['open tool-call', 'error MALFORMED_RESPONSE'],
  'tc-interleaved-two-calls': [
    'call call_a read {"zone":"n1"}',
    'call call_b stat {"zone":"n2"}',
    'tool-calls',
  ],
  'tc-id-empty-on-continuation': ['call call_a sum {"k":"9"}', 'tool-calls'],
  'tc-id-never-sent': ['call call_0 ls {"d":"."}', 'tool-calls'],
  'tc-name-in-pieces': ['call call_a find_refs {}', 'tool-calls'],
  'tc-args-empty-object-prefix': ['call call_a read {"zone":"n1"}', 'tool-calls'],
  'tc-args-empty-string': ['call call_a now ', 'tool-calls'],
  'tc-args-non-object-json': ['call call_a f [1,2]', 'tool-calls'],
  'tc-args-trailing-junk': ['call call_a f {}""', 'tool-calls'],
  'tc-args-big-integer': ['call call_a q {"id":9007199254740993127}', 'tool-calls'],
  'tc-surrogate-pair-cut': ['text \ud83d\ude00', 'stop'],
  'tc-duplicate-ids-one-response': [
    'call dup read {"zone":"n1"}',
    'call dup-2 read {"zone":"n2"}',
    'tool-calls',
  ],
  'err-200-error-first-frame': ['error QUOTA', 'allowance used up'],
  'err-200-error-after-text': ['open text', 'error SERVER', 'status 502', 'upstream offline'],
  'err-error-is-string': ['error SERVER', 'BACKEND_DIED'],
  'err-reset-after-finish-before-done': ['text ok', 'stop'],
  'err-sse-error-status-mapping': ['error OVERLOADED'],
  'sse-json-body-for-stream-request': ['text Hi', 'usage {"inputTokens":3,"outputTokens":1}', 'stop'],
  'sse-foreign-envelope': ['error MALFORMED_RESPONSE'],
  'sse-html-200': ['error MALFORMED_RESPONSE', 'status 200', 'text/html'],
  'ds-503-overload': ['error OVERLOADED', 'status 503'],
  'err-html-503': ['error OVERLOADED', 'status 503'],
  'err-error-body-stalls': ['error SERVER', 'status 500'],
  'err-429-quota-not-rate': ['error QUOTA', 'status 429'],
  'err-429-reset-is-rate': ['error RATE_LIMIT', 'status 429', 'wait 20000'],
  'err-400-with-quota-text': ['error QUOTA', 'status 400'],
  'err-404-model': ['error NOT_FOUND', 'status 404', '/chat/completions'],
  'err-bodyless-204': ['error MALFORMED_RESPONSE', 'status 204'],
  'sec-error-echoes-key': ['error AUTH', 'status 401'],
}

/** One row of a table case: an answer outside 2xx and the code, and some of the text, it must come to. */
export interface ErrorRow {
  readonly status: number
  readonly body: string
  readonly code: string
  readonly says: string
}

interface TableInput {
  readonly status?: number
  readonly bodies?: readonly string[]
  readonly messages?: readonly string[]
  readonly cases?: readonly (readonly [number, string])[]
}

const shapeTexts = ['m1', 'm2', 'm3', 'm4', 'm5', 'm6', '400', '400', 'm7', '400']
const negativeCodes = ['INVALID_REQUEST', 'INVALID_REQUEST', 'RATE_LIMIT', 'QUOTA', 'INVALID_REQUEST']

/** The rows of the table cases, by id; the forms of `Retry-After` belong to the HTTP package. */
export const tableAnswers: Readonly<Record<string, (input: TableInput) => readonly ErrorRow[]>> = {
  'err-body-shapes': ({ status = 400, bodies = [] }) =>
    bodies.map((body, row) => ({ status, body, code: 'INVALID_REQUEST', says: shapeTexts[row] ?? '' })),
  'err-context-overflow-table': ({ status = 400, messages = [] }) => [
    ...messages.map((text) => ({ status, body: errorBody(text), code: 'CONTEXT_WINDOW_EXCEEDED', says: '' })),
    { status, body: '{"error":{"code":"context_length_exceeded"}}', code: 'CONTEXT_WINDOW_EXCEEDED', says: '' },
  ],
  'err-context-overflow-negatives': ({ cases = [] }) =>
    cases.map(([status, text], row) => ({
      status,
      body: errorBody(text),
      code: negativeCodes[row] ?? '',
      says: '',
    })),
}

function errorBody(message: string): string {
  return JSON.stringify({ error: { message } })
}

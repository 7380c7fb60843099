/** Codes that a body may put in place of what its HTTP status says. Status first: a body never turns a 401 into another thing. */
const refinementsByStatus: Readonly<Record<number, ReadonlySet<string>>> = {
  400: new Set(['CONTEXT_WINDOW_EXCEEDED', 'QUOTA', 'AUTH', 'CONTENT_FILTER', 'REPLAY_STATE_REJECTED']),
  403: new Set(['QUOTA', 'CONTENT_FILTER']),
  422: new Set(['CONTEXT_WINDOW_EXCEEDED', 'QUOTA', 'CONTENT_FILTER', 'REPLAY_STATE_REJECTED']),
  429: new Set(['RATE_LIMIT', 'QUOTA', 'OVERLOADED']),
  500: new Set(['CONTEXT_WINDOW_EXCEEDED', 'OVERLOADED']),
}

// Where the table names no refinement the status says it all.
const none: ReadonlySet<string> = new Set()

// Codes that a body is able to tell; transport and grammar have their own.
const all: ReadonlySet<string> = new Set([
  'CONTEXT_WINDOW_EXCEEDED',
  'QUOTA',
  'RATE_LIMIT',
  'OVERLOADED',
  'AUTH',
  'NOT_FOUND',
  'INVALID_REQUEST',
  'CONTENT_FILTER',
  'REPLAY_STATE_REJECTED',
  'TIMEOUT',
  'SERVER',
])

/** Without a status, as within a stream, the body alone decides. */
export function refinements(status: number | undefined): ReadonlySet<string> {
  return status === undefined ? all : (refinementsByStatus[status] ?? none)
}

/** Values of `type`, `code` and `status` in error bodies, in lower case. `invalid_request_error` says nothing: it comes with everything. */
export const codeByWord: ReadonlyMap<string, string> = new Map(
  Object.entries({
    CONTEXT_WINDOW_EXCEEDED: [
      'context_length_exceeded',
      'exceed_context_size_error',
      'request_too_large',
      'model_context_window_exceeded',
      '1261',
    ],
    QUOTA: [
      'insufficient_quota',
      'insufficientquota',
      'insufficient_balance',
      'exceeded_current_quota_error',
      'billing_error',
      'billing_hard_limit_reached',
      'billing_not_active',
      'commoditynotpurchased',
      'prepaidbilloverdue',
      'postpaidbilloverdue',
      'arrearage',
      '1113',
      '1308',
    ],
    RATE_LIMIT: [
      'rate_limit_error',
      'rate_limit_exceeded',
      'rate_limit_reached_error',
      'too_many_requests',
      'limitrequests',
      '1302',
      '1303',
      '1313',
    ],
    OVERLOADED: ['overloaded_error', 'engine_overloaded_error', 'service_unavailable', 'unavailable'],
    AUTH: [
      'authentication_error',
      'invalid_authentication_error',
      'incorrect_api_key_error',
      'invalid_api_key',
      'permission_error',
      'permission_denied',
      'unauthenticated',
    ],
    NOT_FOUND: ['model_not_found', 'not_found_error'],
    CONTENT_FILTER: [
      'content_filter',
      'content_policy_violation',
      'responsibleaipolicyviolation',
      'data_inspection_failed',
      'datainspectionfailed',
      '1301',
    ],
    INVALID_REQUEST: ['unsupported_parameter', 'unsupported_value', 'invalid_argument'],
    TIMEOUT: ['timeout_error', 'deadline_exceeded'],
    SERVER: ['server_error', 'internal_error', 'internal_server_error', 'api_error'],
  }).flatMap(([code, words]) => words.map((word) => [word, code] as const)),
)

/** Wordings, most certain first: a lack of money, a limit that resets by itself, then texts that only speak of quotas. */
const texts: readonly (readonly [code: string, pattern: RegExp])[] = [
  ['CONTEXT_WINDOW_EXCEEDED', /maximum context length|context[ _]length[ _]exceeded|context window/i],
  ['CONTEXT_WINDOW_EXCEEDED', /exceed\w*\s(?:\w+\s){0,3}context (?:length|limit|size)|exceed_context_size/i],
  ['CONTEXT_WINDOW_EXCEEDED', /(?:prompt|input) (?:is )?too long|prompt exceeds max(?:imum)? length/i],
  ['CONTEXT_WINDOW_EXCEEDED', /input (?:length|token count)\b.{0,40}\bexceeds|maximum prompt length is \d/i],
  ['CONTEXT_WINDOW_EXCEEDED', /range of input length should be|exceeded model token limit|request_too_large/i],
  [
    'CONTEXT_WINDOW_EXCEEDED',
    /longer than the model'?s context length|tokens to keep from the initial prompt/i,
  ],
  ['CONTEXT_WINDOW_EXCEEDED', /reduce the length of (?:the|your) (?:messages|prompt|input)/i],
  ['QUOTA', /insufficient[\s_-]{0,3}(?:\w+ )?(?:quota|balance|credit|fund)/i],
  ['QUOTA', /\b(?:no|out of|not enough|never purchased) (?:more )?(?:credit|quota|balance|funds)/i],
  ['QUOTA', /(?:allowance|credits?|balance|quota) (?:\w+ ){0,3}(?:used up|exhausted|depleted|too low)/i],
  ['RATE_LIMIT', /too many (?:requests|tokens)|rate[ _-]?limit|concurrency|per (?:minute|second|hour|day)/i],
  ['RATE_LIMIT', /(?:try again|retry) in \d|\bwait \d/i],
  [
    'QUOTA',
    /exceed\w* your (?:\w+ ){0,3}quota|quota (?:\w+ ){0,2}exceeded|check your plan and billing|overdue/i,
  ],
  ['OVERLOADED', /overloaded|at capacity|currently unavailable/i],
  ['AUTH', /(?:incorrect|invalid) api key|api key (?:is )?(?:not valid|invalid|expired)/i],
  ['CONTENT_FILTER', /content exists risk|content management policy|flagged (?:by|as|for)|data inspection/i],
  [
    'REPLAY_STATE_REJECTED',
    /(?:invalid|corrupt\w*|expired|not valid)\b.{0,60}\b(?:signature|encrypted_content|reasoning_details)/i,
  ],
  [
    'REPLAY_STATE_REJECTED',
    /(?:signature|encrypted_content|reasoning_details)\b.{0,60}\b(?:invalid|corrupt\w*|expired|not valid)/i,
  ],
]

/** The first allowed code whose wording a text has. */
export function codeByText(text: string, allowed: ReadonlySet<string>): string | undefined {
  if (allowed.size === 0 || text === '') return undefined
  return texts.find(([code, pattern]) => allowed.has(code) && pattern.test(text))?.[0]
}

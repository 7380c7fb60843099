export { type CallFetch, type CallFetchOptions, openCallFetch } from './call-fetch.ts'
export type { EventStream } from './event-stream.ts'
export type { BodyClassifier } from './json-failure.ts'
export { getJson, type JsonResponse } from './get-json.ts'
export { isLegalHeader } from './header-syntax.ts'
export type { EventStreamRequest, HttpRequest } from './http-request.ts'
export { joinUrl } from './join-url.ts'
export {
  DEFAULT_LIMITS,
  type HttpLimitOptions,
  type HttpLimits,
  LONGEST_TIMER_MS,
  resolveLimits,
} from './limits.ts'
export { postEventStream } from './post-event-stream.ts'
export { createRedactor, type Redactor } from './redact.ts'
export { REQUEST_ID_HEADERS } from './request-id.ts'
export type { RequestTap, ResponseTap } from './request-tap.ts'
export { type ErrorClassifier, type ErrorResponse, toLlmError } from './response-error.ts'
export { parseRetryAfter } from './retry-after.ts'
export type { RedactorOptions } from './secrets.ts'
export type { ServerEvent } from './sse-decoder.ts'
export type { ResponseHeaders } from './transport.ts'

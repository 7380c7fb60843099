import { codeOfStatus, type FailureFacts, LlmError } from 'dsh-llm'
import { describeUrl } from './describe-url.ts'
import type { Exchange } from './exchange.ts'
import { parseJson } from './parse-json.ts'
import { readProviderText } from './provider-text.ts'
import { readErrorBody } from './read-body.ts'
import { parseRetryAfter } from './retry-after.ts'
import type { ResponseHeaders } from './transport.ts'

/** An answer outside 2xx, read up to its limits and with every secret masked already. */
export interface ErrorResponse {
  /** 0 for a redirect whose status the platform hides. */
  readonly status: number
  readonly headers: ResponseHeaders
  readonly text: string
  /** The parsed body, or `undefined` if it is no JSON. */
  readonly json: unknown
  /** What the provider said, at most 200 characters and without markup; absent if it said nothing. */
  readonly providerMessage?: string | undefined
  /** A complete sentence for the failure, with status, address and the provider's words. */
  readonly message: string
  /** Status, `Retry-After` and request id, ready for `LlmError`. */
  readonly facts: FailureFacts
}

/** Makes the error of an answer outside 2xx. It should keep `facts`; what it throws comes through unchanged. */
export type ErrorClassifier = (response: ErrorResponse) => LlmError

/** The default classifier: the code of the status, the ready message and the facts. */
export function toLlmError(response: ErrorResponse): LlmError {
  return new LlmError(response.message, codeOfStatus(response.status), response.facts)
}

/** Reads an answer outside 2xx and makes its error; redirects are not left to the classifier. */
export async function readResponseError(exchange: Exchange): Promise<LlmError> {
  if (isRedirect(exchange.status)) return redirectError(exchange)
  const { redact, options } = exchange.request
  const { status, headers } = exchange
  const text = redact(await readErrorBody(exchange))
  const json = parseJson(text)
  const providerMessage = readProviderText(text, json, headers)
  const message = `${describeAnswer(exchange)}: ${providerMessage ?? describeSilence(text, exchange)}`
  const classify = options.classify ?? toLlmError
  return classify({ status, headers, text, json, providerMessage, message, facts: readFacts(exchange) })
}

/** The failure of a 2xx answer that is neither events nor JSON, quoting a little of it unless it is markup. */
export async function readMalformed(
  exchange: Exchange,
  begun: readonly Uint8Array[],
  wanted?: string,
): Promise<LlmError> {
  const text = exchange.request.redact(await readErrorBody(exchange, begun))
  return malformedError(exchange, text, wanted)
}

/** The same for a body that has been read already. Masks secrets itself. */
export function malformedError(exchange: Exchange, body: string, wanted = 'events or JSON'): LlmError {
  const text = exchange.request.redact(body)
  const type = describeType(exchange)
  const quote = readProviderText(text, undefined, exchange.headers)
  const what = `${describeAnswer(exchange)} and ${type} where ${wanted} were expected`
  return new LlmError(
    quote === undefined ? what : `${what}: ${quote}`,
    'MALFORMED_RESPONSE',
    readFacts(exchange),
  )
}

function describeAnswer({ status, request }: Exchange): string {
  return `${request.method} ${request.place} was answered with status ${status}`
}

function describeSilence(text: string, exchange: Exchange): string {
  return text.trim() === '' ? 'the body is empty' : `the body (${describeType(exchange)}) holds no message`
}

function describeType({ headers, request }: Exchange): string {
  return request.redact(headers['content-type'] ?? 'no content type').slice(0, 80)
}

function readFacts({ status, headers, requestId, request }: Exchange): FailureFacts {
  return { status, requestId, providerRetryAfterMs: parseRetryAfter(headers, request.options.wallNow) }
}

// Browsers hide the status of a redirect that is not followed behind 0.
function isRedirect(status: number): boolean {
  return status === 0 || (status >= 300 && status < 400)
}

function redirectError(exchange: Exchange): LlmError {
  const { status, headers, request } = exchange
  const { location } = headers
  const target = location === undefined ? null : URL.parse(location, request.url.href)
  const where = target === null ? 'another address' : request.redact(describeUrl(target)).slice(0, 200)
  const what = `${request.place} redirects to ${where}, which would carry credentials and content there`
  exchange.close()
  const code = status === 0 ? 'HTTP_REDIRECT' : codeOfStatus(status)
  return new LlmError(`${what}; use the final address as the base URL`, code, readFacts(exchange))
}

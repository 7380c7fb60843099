import type { Clock } from 'dsh-llm'
import type { HttpLimitOptions } from './limits.ts'
import type { ErrorClassifier } from './response-error.ts'
import type { RequestTap, ResponseTap } from './request-tap.ts'

/** What every request of this package is made of. */
export interface HttpRequest {
  /** An absolute `http:` or `https:` address; its user part and query never appear in messages. */
  readonly url: string
  /** Names in any case; `undefined` values are left out. `user-agent` and credentials are the caller's business. */
  readonly headers?: Readonly<Record<string, string | undefined>> | undefined
  /** Its abort ends the call at once and closes the connection; no listener stays on it. */
  readonly signal?: AbortSignal | undefined
  readonly limits?: HttpLimitOptions | undefined
  /** Used instead of the platform's transport, which then cannot tell when a connection stands. */
  readonly fetch?: typeof globalThis.fetch | undefined
  readonly clock?: Clock | undefined
  /** Milliseconds since 1970, for dates in `Retry-After`. Without it the answer's own `Date` header is trusted. */
  readonly wallNow?: (() => number) | undefined
  /** Texts masked wherever they turn up, beside the values of credential headers, which are known already. */
  readonly secrets?: readonly string[] | undefined
  /** Response headers that may carry the request id, best first; replaces `REQUEST_ID_HEADERS`. */
  readonly requestIdHeaders?: readonly string[] | undefined
  /** Turns an answer outside 2xx into an error; the default goes by status alone. */
  readonly classify?: ErrorClassifier | undefined
  /** Sees the request as it leaves, secrets masked. What it throws ends the call unchanged. */
  readonly onRequest?: ((request: RequestTap) => void) | undefined
  /** Sees status and headers of the answer as they arrive, secrets masked. */
  readonly onResponse?: ((response: ResponseTap) => void) | undefined
}

/** A request whose answer is a stream of events. */
export interface EventStreamRequest extends HttpRequest {
  /** The encoded JSON text; pieces are sent one after the other as one body with its length. */
  readonly body: string | Uint8Array | readonly Uint8Array[]
  /** The reader calls `sawContent` for the time limits; without it every event with data counts as content. */
  readonly tellsContent?: boolean | undefined
}

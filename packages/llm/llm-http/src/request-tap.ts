import type { ResponseHeaders } from './transport.ts'

/** A request as it leaves: exact, but for masked secrets. */
export interface RequestTap {
  readonly method: 'GET' | 'POST'
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  /** Empty for `GET`. */
  readonly body: string
}

/** The head of an answer: exact, but for masked secrets. */
export interface ResponseTap {
  readonly status: number
  readonly headers: ResponseHeaders
  readonly requestId?: string | undefined
}

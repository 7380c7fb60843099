/** Response headers under lower-case names; repeated ones are joined with a comma and a space. */
export type ResponseHeaders = Readonly<Record<string, string>>

/** A request, checked and complete, as a transport sends it. */
export interface TransportRequest {
  readonly method: 'GET' | 'POST'
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array<ArrayBuffer> | undefined
  /** Milliseconds, 0 for none: lets the transport give up a connection attempt nobody waits for any more. */
  readonly connectMs: number
  /** Aborted when the call is over for any reason; the transport then frees the connection. */
  readonly signal: AbortSignal
  /** Called once the connection stands, by transports that can tell. */
  onConnect(): void
}

/** The head of an answer and the way to its bytes, which are decoded from any content encoding. */
export interface TransportResponse {
  /** 0 for a redirect whose status the platform hides. */
  readonly status: number
  readonly headers: ResponseHeaders
  /** Everything that has arrived since the last read; `undefined` at a clean end. One read at a time. */
  read(): Promise<readonly Uint8Array[] | undefined>
  /** Closes the connection unless the answer is complete. A pending read settles at once. */
  cancel(): void
}

/** One way to talk HTTP. `send` settles when the headers are there; redirects are handed over, never followed. */
export interface Transport {
  /** Whether `onConnect` is called at all. */
  readonly tellsConnect: boolean
  send(request: TransportRequest): Promise<TransportResponse>
}

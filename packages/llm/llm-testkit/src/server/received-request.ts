/** Who ended an exchange, and how many chunks had been written by then. */
export interface SocketEnd {
  readonly by: 'client' | 'server'
  readonly atChunk: number
}

/** `received` until the status line is sent, `answering` while chunks flow or hang, `ended` when the exchange is over. */
export type RequestState = 'received' | 'answering' | 'ended'

/** What is known about a request once its whole body has arrived; it never changes. */
export interface RequestFacts {
  readonly method: string
  /** Path and query as sent. */
  readonly url: string
  /** The URL without its query; routes are looked up by it. */
  readonly path: string
  readonly query: URLSearchParams
  /** Names in lower case; a repeated header is joined with a comma. */
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly body: string
  /** The parsed body; `undefined` when it is not JSON. */
  readonly json: unknown
  /** Milliseconds, by the server's clock. */
  readonly receivedAt: number
  /** Ordinal of the TCP connection, from 0: equal numbers prove that a connection was reused. */
  readonly connection: number
  /** Position in the server's journal, from 0. */
  readonly index: number
}

/** A journal entry: the request as it arrived, and the live state of its answer. */
export interface ReceivedRequest extends RequestFacts {
  /** Which step of its script answers; -1 before one was asked, and on a path that no script serves. */
  readonly answerIndex: number
  readonly state: RequestState
  /** True while the server waits for the client to read: back-pressure has reached it. */
  readonly paused: boolean
  readonly chunksWritten: number
  /** Payload bytes handed to the socket, HTTP framing not counted. */
  readonly bytesWritten: number
  /** What the script or its chunks threw, if anything. */
  readonly failure: unknown
  /** Aborted when the exchange is over, so that a script's own waits can end with it. */
  readonly signal: AbortSignal
  /** Resolves when the answer was sent completely, or the socket closed; never rejects. */
  readonly closed: Promise<SocketEnd>
  /**
   * Resolves as soon as the condition holds; it is asked at once and at every change of the live fields. Rejects when
   * the exchange ends without it.
   */
  when(condition: (request: ReceivedRequest) => boolean): Promise<void>
}

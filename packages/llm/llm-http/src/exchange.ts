import { abortError, errorChain, type LlmError } from 'dsh-llm'
import { callError, timeoutError } from './call-failure.ts'
import { LONGEST_TIMER_MS } from './limits.ts'
import type { PreparedRequest } from './prepare-request.ts'
import { redactHeaders } from './redact.ts'
import { findRequestId, REQUEST_ID_HEADERS } from './request-id.ts'
import type { ResponseHeaders, TransportResponse } from './transport.ts'
import { Watchdog } from './watchdog.ts'

/** How long, and for how much, the end of a finished answer is waited for so that its connection can be reused. */
const DRAIN_MS = 200
const DRAIN_BYTES = 64 * 1024

type Pieces = readonly Uint8Array[] | undefined

/**
 * The life of one request: every way it can end (end of bytes, close, abort, time limit, transport) comes through here,
 * exactly one takes effect, and each leaves no timer, no listener and no open connection behind.
 */
export class Exchange {
  readonly request: PreparedRequest
  readonly #controller: AbortController = new AbortController()
  readonly #watchdog: Watchdog
  readonly #onFail: ((failure: LlmError) => void) | undefined
  #response: TransportResponse | undefined
  #reading: Promise<Pieces> | undefined
  #failure: LlmError | undefined
  #rejectHead: ((failure: LlmError) => void) | undefined
  #over = false

  /** Nothing happens before `send`. `onFail` hears of a failure at once, whether or not anybody reads. */
  constructor(request: PreparedRequest, onFail?: (failure: LlmError) => void) {
    this.request = request
    this.#onFail = onFail
    this.#watchdog = new Watchdog({
      limits: request.limits,
      clock: request.clock,
      tellsConnect: request.transport.tellsConnect,
      onExpire: (limit) => this.fail(timeoutError(limit, request.limits, request.place)),
    })
  }

  /** Sends the request and settles when the head of the answer is there. Whoever calls it closes after a rejection. */
  async send(): Promise<void> {
    const { request } = this
    const { onRequest, onResponse } = request.options
    if (request.signals.some((signal) => signal.aborted)) this.#onAbort()
    else for (const signal of request.signals) signal.addEventListener('abort', this.#onAbort, { once: true })
    this.#ended()
    onRequest?.(toRequestTap(request))
    // The listener of the request may have ended the call.
    this.#ended()
    await this.#openHead()
    const { status, headers, requestId } = this
    onResponse?.({ status, headers: redactHeaders(headers, request.redact), requestId })
  }

  /** 0 until the head of the answer is there, and for a redirect whose status the platform hides. */
  get status(): number {
    return this.#response?.status ?? 0
  }

  get headers(): ResponseHeaders {
    return this.#response?.headers ?? {}
  }

  /** The provider's id of the request, masked like any text; absent if no header has one. */
  get requestId(): string | undefined {
    const { options, redact } = this.request
    const id = findRequestId(this.headers, options.requestIdHeaders ?? REQUEST_ID_HEADERS)
    return id === undefined ? undefined : redact(id)
  }

  /** Whether an abort, a limit or the transport has ended the call. */
  get hasFailed(): boolean {
    return this.#failure !== undefined
  }

  /** The next bytes; `undefined` at their end and after `close`. Rejects with the failure of the call. */
  read(): Promise<Pieces> {
    const response = this.#response
    if (this.#over || response === undefined) return this.#settled()
    this.#watchdog.startWait()
    // No async function: there is one such read per network read, and it shows in the cost of slow streams.
    this.#reading = response.read()
    return this.#reading.then(this.#arrived, this.#broken)
  }

  readonly #arrived = (pieces: Pieces): Pieces => {
    this.#reading = undefined
    this.#watchdog.endWait(pieces !== undefined)
    if (this.#over) return this.#ended()
    if (pieces === undefined) this.#release()
    return pieces
  }

  readonly #broken = (thrown: unknown): undefined => {
    this.fail(this.#toError(thrown))
    return this.#ended()
  }

  /** Nobody wants what a pending read may bring: idle limits stand still until `waitAgain`. */
  standStill(): void {
    if (this.#reading !== undefined) this.#watchdog.endWait(false)
  }

  /** What a pending read may bring is wanted again. */
  waitAgain(): void {
    if (this.#reading !== undefined) this.#watchdog.startWait()
  }

  /** Content came: the idle limit between contents starts afresh. */
  sawContent(): void {
    this.#watchdog.sawContent()
  }

  /** Ends the call with a failure, which every read rejects with from now on. */
  fail(failure: LlmError): void {
    if (this.#over) return
    this.#failure = failure
    this.#leave(failure)
    this.#rejectHead?.(failure)
    this.#onFail?.(failure)
  }

  /** Leaves the call without a failure. Safe at any time, any number of times. */
  close(): void {
    if (!this.#over) this.#leave(new Error('The call was closed'))
  }

  /** Nothing more is wanted: keeps the connection if the answer ends by itself within small bounds. */
  finish(): void {
    if (this.#over) return
    this.#release()
    if (this.#response !== undefined) void drain(this.#response, this.request, this.#reading)
  }

  /** Settles with the head of the answer, or as soon as the call fails for any reason. */
  async #openHead(): Promise<void> {
    const { method, url, headers, body, limits, transport } = this.request
    const connectMs = Math.min(limits.connectMs, LONGEST_TIMER_MS)
    this.#watchdog.startWait()
    await new Promise<void>((resolve, reject) => {
      this.#rejectHead = reject
      const { signal } = this.#controller
      const onConnect = (): void => this.#watchdog.connected()
      transport.send({ method, url, headers, body, connectMs, signal, onConnect }).then(
        (response) => {
          this.#response = response
          // A transport that is deaf to its signal still answers after the call is over.
          if (this.#over) response.cancel()
          resolve()
        },
        (thrown: unknown) => this.fail(this.#toError(thrown)),
      )
    })
    this.#watchdog.endWait(false)
  }

  readonly #onAbort = (): void => {
    const signal = this.request.signals.find(({ aborted }) => aborted)
    if (signal !== undefined) this.fail(abortError(signal))
  }

  #toError(thrown: unknown): LlmError {
    const { place, limits, redact } = this.request
    return isConnectTimeout(thrown)
      ? timeoutError('connectMs', limits, place)
      : callError(thrown, place, redact)
  }

  async #settled(): Promise<undefined> {
    return this.#ended()
  }

  #ended(): undefined {
    if (this.#failure !== undefined) throw this.#failure
    return undefined
  }

  /** Before its head there is no response to cancel: then the signal reaches the transport. */
  #leave(reason: Error): void {
    this.#release()
    this.#response?.cancel()
    this.#controller.abort(reason)
  }

  /** Nothing of the caller's and no timer is held from here on. */
  #release(): void {
    this.#over = true
    this.#watchdog.stop()
    for (const signal of this.request.signals) signal.removeEventListener('abort', this.#onAbort)
  }
}

/** Reads on for a moment, since only a connection whose answer was read to its end can be used again. */
async function drain(
  response: TransportResponse,
  { clock }: PreparedRequest,
  reading: Promise<Pieces> | undefined,
): Promise<void> {
  const cancelTimer = clock.schedule(() => response.cancel(), DRAIN_MS)
  let byteLength = 0
  try {
    let pieces = await (reading ?? response.read())
    while (pieces !== undefined) {
      for (const piece of pieces) byteLength += piece.length
      if (byteLength > DRAIN_BYTES) response.cancel()
      pieces = await response.read()
    }
  } catch {
    // The answer was complete; how its connection ends concerns nobody.
  } finally {
    cancelTimer()
  }
}

/** The transport's own timer may fire before the watchdog's. */
function isConnectTimeout(thrown: unknown): boolean {
  return errorChain(thrown).some(
    (link) => link instanceof Error && 'code' in link && link.code === 'UND_ERR_CONNECT_TIMEOUT',
  )
}

function toRequestTap({ method, url, headers, body, redact }: PreparedRequest) {
  const text = body === undefined ? '' : new TextDecoder().decode(body)
  return { method, url: redact(url.href), headers: redactHeaders(headers, redact), body: redact(text) }
}

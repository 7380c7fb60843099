import { isLlmError, LlmError } from 'dsh-llm'
import { CallBody } from './call-body.ts'
import { callError } from './call-failure.ts'
import { Exchange } from './exchange.ts'
import type { HttpRequest } from './http-request.ts'
import { type BodyClassifier, readJsonFailure } from './json-failure.ts'
import { type FetchInit, type FetchInput, type LibraryRequest, readLibraryRequest } from './library-request.ts'
import { type PreparedRequest, prepareRequest } from './prepare-request.ts'
import { readAnswer } from './read-answer.ts'
import { readBeginning } from './read-beginning.ts'
import { ReadGate } from './read-gate.ts'
import { createRedactor } from './redact.ts'
import { readMalformed } from './response-error.ts'
import type { ServerEvent } from './sse-decoder.ts'
import type { ResponseHeaders } from './transport.ts'

/** The HTTP side of one call that a foreign library makes: its `fetch`, and what happened beneath it. */
export interface CallFetch {
  /**
   * For the library: makes one request and refuses a second. Rejects with an `LlmError`, as do the bodies it gives. It
   * settles when the first bytes show that the answer holds events, so the reads must be resumed for it.
   */
  readonly fetch: typeof globalThis.fetch
  /**
   * Why the call failed below the library: the first reason, absent while all is well. What follows `close`, or an abort
   * of the library's own, is none.
   */
  readonly failure: LlmError | undefined
  /** Of the answer, once its head is there; absent for a redirect whose status the platform hides. */
  readonly status: number | undefined
  /** Of the answer; empty before. */
  readonly headers: ResponseHeaders
  readonly requestId: string | undefined
  /** Lets bytes of an answer of events be read from the network. At first they are not. */
  resume(): void
  /**
   * Stops that; a read that waits already may still bring bytes. Idle and content limits stand still meanwhile. The
   * request, the head of the answer and answers outside 2xx are not held up.
   */
  pause(): void
  /** Content came: the limit between contents starts afresh. Nothing else counts as content. */
  sawContent(): void
  /**
   * The protocol's end marker was seen: the body ends, called from `onEvent` right behind that event, and the
   * connection is kept for reuse if the server ends its answer shortly. Call it before the library cancels the body.
   */
  finish(): void
  /** Leaves the call, whatever stands open: the connection is closed and the library sees `ABORTED`. Any number of times. */
  close(): void
  /** Masks the call's secrets in a text; those of the address and headers are known once the library has called. */
  redact(text: string): string
}

/** What one call of a foreign library may do, and who hears of it. */
export interface CallFetchOptions extends Omit<HttpRequest, 'url' | 'headers'> {
  /**
   * Has the last word on the headers the library wants to send: what it gives is sent. Names come in lower case and are
   * given in any; a later one wins, `undefined` removes it.
   */
  readonly headers?:
    | ((given: Readonly<Record<string, string>>) => Readonly<Record<string, string | undefined>>)
    | undefined
  /** Sees each event before the library does. What it throws ends the call, as `failure` if it is an `LlmError`. */
  readonly onEvent?: ((event: ServerEvent) => void) | undefined
  /** An address whose origin the library must keep to; environment variables can redirect an SDK. */
  readonly origin?: string | undefined
  /** Asked about a 2xx answer with a JSON body; `MALFORMED_RESPONSE` where it knows no error in it. */
  readonly classifyBody?: BodyClassifier | undefined
}

/** Opens the HTTP side of one call. Nothing happens until the library calls `fetch`; whoever opened it closes it. */
export function openCallFetch(options: CallFetchOptions): CallFetch {
  return new HttpCallFetch(options)
}

class HttpCallFetch implements CallFetch {
  readonly #options: CallFetchOptions
  readonly #gate = new ReadGate()
  #redact: (text: string) => string
  #exchange: Exchange | undefined
  #body: CallBody | undefined
  #failure: LlmError | undefined
  #librarySignal: AbortSignal | undefined
  #isUsed = false
  #isLeft = false

  constructor(options: CallFetchOptions) {
    this.#options = options
    this.#redact = createRedactor({ secrets: options.secrets })
  }

  readonly fetch = async (input: FetchInput, init?: FetchInit): Promise<Response> => {
    try {
      return await this.#fetchOnce(input, init)
    } catch (thrown) {
      throw this.#keep(thrown)
    }
  }

  get failure(): LlmError | undefined {
    return this.#failure
  }

  get status(): number | undefined {
    return this.#exchange?.status || undefined
  }

  get headers(): ResponseHeaders {
    return this.#exchange?.headers ?? {}
  }

  get requestId(): string | undefined {
    return this.#exchange?.requestId
  }

  resume(): void {
    this.#gate.open()
    this.#exchange?.waitAgain()
  }

  pause(): void {
    this.#gate.shut()
    if (!this.#gate.isOpen) this.#exchange?.standStill()
  }

  sawContent(): void {
    this.#exchange?.sawContent()
  }

  finish(): void {
    // Before there is a body nothing can have been seen.
    if (this.#body === undefined) return
    this.#exchange?.finish()
    this.#body.finish()
    this.#gate.release()
  }

  close(): void {
    this.#isLeft = true
    this.#exchange?.fail(leftError())
    this.#gate.release()
  }

  redact(text: string): string {
    return this.#redact(text)
  }

  async #fetchOnce(input: FetchInput, init: FetchInit): Promise<Response> {
    if (this.#isLeft) throw leftError()
    if (this.#isUsed) throw secondRequestError()
    this.#isUsed = true
    const request = this.#prepare(await readLibraryRequest(input, init))
    this.#redact = request.redact
    // It may have been left while the body of the request was read.
    if (this.#isLeft) throw leftError()
    const exchange = new Exchange(request, this.#onFail)
    this.#exchange = exchange
    return readAnswer(exchange, () => this.#toResponse(exchange))
  }

  #prepare({ url, headers, body, signal }: LibraryRequest): PreparedRequest {
    this.#checkOrigin(url)
    const wanted: Record<string, string | undefined> = {}
    const given = this.#options.headers?.(headers) ?? headers
    for (const [name, value] of Object.entries(given)) wanted[name.toLowerCase()] = value
    const prepared = prepareRequest({ ...this.#options, url, headers: wanted }, 'text/event-stream', body)
    this.#librarySignal = signal
    return signal === undefined ? prepared : { ...prepared, signals: [...prepared.signals, signal] }
  }

  #checkOrigin(url: string): void {
    const { origin } = this.#options
    if (origin === undefined || !URL.canParse(url)) return
    const [wanted, kept] = [new URL(url).origin, URL.parse(origin)?.origin]
    if (wanted === kept) return
    const what = `Did not send the library's request to ${wanted}: this call must keep to ${kept ?? 'an address that is none'}`
    throw new LlmError(
      `${what}; look for an environment variable that redirects the library`,
      'INVALID_REQUEST',
    )
  }

  async #toResponse(exchange: Exchange): Promise<Response> {
    const { status, headers } = exchange
    const { begun, kind } = await readBeginning(headers, async () => {
      await this.#gate.passage()
      return exchange.read()
    })
    if (kind === 'json') throw await readJsonFailure(exchange, begun, this.#options.classifyBody)
    if (kind === 'other') throw await readMalformed(exchange, begun, 'events')
    return new Response(this.#openBody(exchange, begun), { status, headers })
  }

  /** `Response` refuses a body where the status allows none. */
  #openBody(exchange: Exchange, begun: readonly Uint8Array[]): ReadableStream<Uint8Array> | null {
    if (exchange.status === 204 || exchange.status === 205) {
      exchange.close()
      return null
    }
    const passage = (): Promise<void> => this.#gate.passage()
    const { onEvent } = this.#options
    this.#body = new CallBody(exchange, { begun, passage, onEvent, onFault: this.#onFault })
    return this.#body.stream
  }

  readonly #onFail = (failure: LlmError): void => {
    // Until there is a body the rejection of `fetch` tells why: a body that breaks off must not hide its status.
    if (this.#body !== undefined) this.#keep(failure)
    this.#gate.release()
  }

  readonly #onFault = (thrown: unknown): LlmError => {
    const failure = this.#keep(thrown)
    this.#exchange?.fail(failure)
    return failure
  }

  /** The library has aborted its request by itself; why, only it knows. */
  get #isGivenUp(): boolean {
    return this.#librarySignal?.aborted === true && this.#options.signal?.aborted !== true
  }

  /** The first failure is the one that counts; leaving is none, nor is what comes of it. */
  #keep(thrown: unknown): LlmError {
    const place = this.#exchange?.request.place ?? 'the provider'
    const failure = isLlmError(thrown) ? thrown : callError(thrown, place, this.#redact)
    if (!this.#isLeft && !this.#isGivenUp) this.#failure ??= failure
    return failure
  }
}

function leftError(): LlmError {
  return new LlmError('The call was left before its answer was complete', 'ABORTED')
}

function secondRequestError(): LlmError {
  const what = 'The library wanted to send a second request for one call, which was refused'
  return new LlmError(`${what}; switch off its own retries and lookups`, 'ADAPTER_PROTOCOL')
}

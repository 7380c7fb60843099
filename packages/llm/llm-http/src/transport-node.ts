import type { Agent, Dispatcher } from 'undici'
import { ByteQueue } from './byte-queue.ts'
import type { ResponseHeaders, Transport, TransportRequest, TransportResponse } from './transport.ts'
import { type ContentDecoder, createContentDecoder } from './transport-node-decoder.ts'

/**
 * `undici` below its `request`: its handler gives the raw bytes of each network read, so no stream object stands between
 * socket and reader. Honours the proxy variables of the environment; its own 300 s limits are off.
 */
export const transport: Transport = { tellsConnect: true, send }

async function send(request: TransportRequest): Promise<TransportResponse> {
  const dispatcher = await openDispatcher(request.connectMs)
  request.signal.throwIfAborted()
  return new Promise((resolve, reject) => {
    const { method, url, headers, body } = request
    const path = url.pathname + url.search
    const options = {
      origin: url.origin,
      path,
      method,
      headers,
      body: body ?? null,
      headersTimeout: 0,
      bodyTimeout: 0,
    }
    dispatcher.dispatch(options, new Call(request, { resolve, reject }))
  })
}

const dispatchers = new Map<string, Promise<Dispatcher>>()

// One pool of connections for each setting there has been, so that calls share connections and a changed environment
// is still noticed.
function openDispatcher(connectMs: number): Promise<Dispatcher> {
  const { HTTP_PROXY, HTTPS_PROXY, NO_PROXY, http_proxy, https_proxy, no_proxy } = process.env
  const proxies = [HTTP_PROXY, HTTPS_PROXY, http_proxy, https_proxy]
  const key = JSON.stringify([connectMs, ...proxies, NO_PROXY, no_proxy])
  let dispatcher = dispatchers.get(key)
  if (dispatcher === undefined) {
    dispatcher = createDispatcher(connectMs, proxies.some(Boolean))
    dispatchers.set(key, dispatcher)
  }
  return dispatcher
}

async function createDispatcher(connectMs: number, proxied: boolean): Promise<Dispatcher> {
  const undici = await import('undici')
  // HTTP/1.1 only: one connection for each call, so that leaving a call closes it and no call waits behind another.
  const options: Agent.Options = {
    allowH2: false,
    connect: { timeout: connectMs },
    headersTimeout: 0,
    bodyTimeout: 0,
  }
  return proxied
    ? new undici.EnvHttpProxyAgent({ ...options, connectTimeout: connectMs })
    : new undici.Agent(options)
}

/** How `send` settles. */
interface Head {
  resolve(response: TransportResponse): void
  reject(reason: unknown): void
}

/** One request inside `undici`: its callbacks in, a head and a queue of bytes out. */
class Call implements Dispatcher.DispatchHandler {
  readonly #request: TransportRequest
  readonly #head: Head
  readonly #queue: ByteQueue
  #controller: Dispatcher.DispatchController | undefined
  #decoder: ContentDecoder | undefined
  #complete = false
  #left = false

  constructor(request: TransportRequest, head: Head) {
    this.#request = request
    this.#head = head
    this.#queue = new ByteQueue({
      pause: () => (this.#decoder ?? this.#controller)?.pause(),
      resume: () => (this.#decoder ?? this.#controller)?.resume(),
    })
    request.signal.addEventListener('abort', () => this.#leave(), { once: true })
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller
    // It may have been left while its connection was made.
    if (this.#left) controller.abort(new Error('The call was left'))
    else this.#request.onConnect()
  }

  onResponseStart(controller: Dispatcher.DispatchController, status: number, headers: RawHeaders): void {
    if (status < 200) return
    const record = toRecord(headers)
    this.#decoder = createContentDecoder(record['content-encoding'], this.#queue, controller)
    const response = { status, headers: record, read: () => this.#queue.read(), cancel: () => this.#leave() }
    this.#head.resolve(response)
  }

  onResponseData(_controller: Dispatcher.DispatchController, piece: Uint8Array): void {
    if (this.#decoder === undefined) this.#queue.push(piece)
    else this.#decoder.write(piece)
  }

  onResponseEnd(): void {
    this.#complete = true
    if (this.#decoder === undefined) this.#queue.end()
    else this.#decoder.end()
  }

  onResponseError(_controller: unknown, error: Error): void {
    this.#complete = true
    this.#head.reject(error)
    this.#queue.fail(error)
  }

  /** Left after its end, an answer keeps its connection for the next call. */
  #leave(): void {
    this.#queue.close()
    if (this.#complete || this.#left) return
    this.#left = true
    this.#head.reject(this.#request.signal.reason)
    this.#controller?.abort(new Error('The call was left'))
  }
}

/** Headers that came more than once are lists. */
type RawHeaders = Readonly<Record<string, string | string[] | undefined>>

function toRecord(headers: RawHeaders): ResponseHeaders {
  const record: Record<string, string> = {}
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined) record[name.toLowerCase()] = typeof value === 'string' ? value : value.join(', ')
  }
  return record
}

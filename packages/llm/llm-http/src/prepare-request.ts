import { type Clock, LlmError, systemClock } from 'dsh-llm'
import { transport as platformTransport } from '#transport'
import { concatBytes } from './concat-bytes.ts'
import { describeUrl } from './describe-url.ts'
import { isLegalHeader } from './header-syntax.ts'
import type { HttpRequest } from './http-request.ts'
import { type HttpLimits, resolveLimits } from './limits.ts'
import { createRedactor, type Redactor } from './redact.ts'
import type { Transport } from './transport.ts'
import { webTransport } from './transport-web.ts'

/** A request checked and completed: what the rest of the package works with. */
export interface PreparedRequest {
  readonly method: 'GET' | 'POST'
  /** Without user part, which has become a header. */
  readonly url: URL
  /** The address as messages show it. */
  readonly place: string
  /** Under lower-case names. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array<ArrayBuffer> | undefined
  readonly limits: HttpLimits
  readonly clock: Clock
  readonly redact: Redactor
  readonly transport: Transport
  /** The abort of any of them ends the call. */
  readonly signals: readonly AbortSignal[]
  /** What the caller asked for, where it needs no preparation. */
  readonly options: HttpRequest
}

/** JSON text, encoded or not; pieces become one body. */
export type RequestBody = string | Uint8Array | readonly Uint8Array[]

/** Checks a request before any I/O; what no server could understand fails with `INVALID_REQUEST`. */
export function prepareRequest(options: HttpRequest, accept: string, body?: RequestBody): PreparedRequest {
  const url = parseUrl(options.url)
  const headers = {
    accept,
    ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    'accept-encoding': 'identity',
    ...basicAuth(url),
    ...checkHeaders(options.headers ?? {}),
  }
  const redact = createRedactor({ url: options.url, headers, secrets: options.secrets })
  return {
    method: body === undefined ? 'GET' : 'POST',
    url,
    place: redact(describeUrl(url)),
    headers,
    body: body === undefined ? undefined : encodeBody(body),
    limits: resolveLimits(options.limits),
    clock: options.clock ?? systemClock,
    redact,
    transport: options.fetch === undefined ? platformTransport : webTransport(options.fetch),
    signals: options.signal === undefined ? [] : [options.signal],
    options,
  }
}

function parseUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url?.protocol === 'https:' || url?.protocol === 'http:') return url
  const what = url === undefined ? 'is not an absolute URL' : `has the protocol ${url.protocol}`
  throw new LlmError(
    `Cannot call the provider: the address ${what}; use one with http: or https:`,
    'INVALID_REQUEST',
  )
}

// `fetch` refuses addresses with a user part and other clients drop it silently, so it becomes the header it means.
function basicAuth(url: URL): Record<string, string> {
  if (url.username === '' && url.password === '') return {}
  const bytes = new TextEncoder().encode(
    `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`,
  )
  url.username = ''
  url.password = ''
  return { authorization: `Basic ${btoa(String.fromCharCode(...bytes))}` }
}

// The transports know these from the address and the body.
const ownHeaders = new Set(['content-length', 'host', 'connection', 'transfer-encoding'])

function checkHeaders(headers: Readonly<Record<string, string | undefined>>): Record<string, string> {
  const checked: Record<string, string> = {}
  for (const [name, value] of Object.entries(headers)) {
    if (value === undefined || ownHeaders.has(name.toLowerCase())) continue
    if (!isLegalHeader(name, value)) {
      const where = JSON.stringify(name.slice(0, 40))
      throw new LlmError(
        `Cannot send the header ${where}: its name or value has characters that HTTP forbids; keep to ASCII on one line`,
        'INVALID_REQUEST',
      )
    }
    checked[name.toLowerCase()] = value.trim()
  }
  return checked
}

function encodeBody(body: RequestBody): Uint8Array<ArrayBuffer> {
  if (typeof body === 'string') return new TextEncoder().encode(body)
  const bytes = body instanceof Uint8Array ? body : concatBytes(body)
  return bytes.buffer instanceof ArrayBuffer
    ? new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.length)
    : bytes.slice()
}

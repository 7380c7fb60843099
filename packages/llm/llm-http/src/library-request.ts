import { LlmError } from 'dsh-llm'

/** What a library hands to `fetch`, as far as it is honoured. */
export interface LibraryRequest {
  readonly url: string
  /** Under lower-case names; repeated ones are joined. */
  readonly headers: Readonly<Record<string, string>>
  /** Absent for `GET`. */
  readonly body: string | Uint8Array | undefined
  readonly signal: AbortSignal | undefined
}

/** The parameters of `fetch`. */
export type FetchInput = Parameters<typeof globalThis.fetch>[0]
export type FetchInit = Parameters<typeof globalThis.fetch>[1]

/** Reads the parameters of a `fetch`. What our transports cannot send fails with `INVALID_REQUEST`. */
export async function readLibraryRequest(input: FetchInput, init: FetchInit = {}): Promise<LibraryRequest> {
  const request = toRequestLike(input)
  const isPost = readIsPost(init.method ?? request.method ?? 'GET')
  const body = readBody(init.body)
  if (body !== undefined && !isPost) throw refusal('it is a GET with a body')
  return {
    url: request.url,
    headers: readHeaders(init.headers ?? request.headers ?? {}),
    body: isPost ? (body ?? (await readOwnBody(request))) : undefined,
    signal: init.signal ?? request.signal,
  }
}

type RequestLike = Pick<Request, 'url'> & Partial<Request>

function toRequestLike(input: FetchInput): RequestLike {
  if (typeof input === 'string') return { url: input }
  return 'href' in input ? { url: input.href } : input
}

function readIsPost(method: string): boolean {
  const name = method.toUpperCase()
  if (name !== 'POST' && name !== 'GET')
    throw refusal(`its method is ${name.slice(0, 20)}, neither GET nor POST`)
  return name === 'POST'
}

function readBody(body: NonNullable<FetchInit>['body']): string | Uint8Array | undefined {
  if (body === undefined || body === null) return undefined
  if (typeof body === 'string' || body instanceof Uint8Array) return body
  throw refusal('its body is neither text nor bytes')
}

async function readOwnBody(request: RequestLike): Promise<string | Uint8Array> {
  return request.arrayBuffer === undefined ? '' : new Uint8Array(await request.arrayBuffer())
}

// By hand, since `Headers` quotes a value it refuses, and the value may be a secret.
function readHeaders(headers: NonNullable<NonNullable<FetchInit>['headers']>): Record<string, string> {
  const record: Record<string, string> = {}
  const add = (value: string, name: string): void => {
    const key = name.toLowerCase()
    record[key] = record[key] === undefined ? value : `${record[key]}, ${value}`
  }
  if (isPairs(headers)) for (const [name, value] of headers) add(String(value), String(name))
  else for (const [name, value] of Object.entries(headers)) if (value !== undefined) add(value, name)
  return record
}

function isPairs(headers: object): headers is Iterable<readonly unknown[]> {
  return Symbol.iterator in headers
}

function refusal(why: string): LlmError {
  return new LlmError(
    `Cannot send the request of the library: ${why}; make it send JSON text by POST`,
    'INVALID_REQUEST',
  )
}

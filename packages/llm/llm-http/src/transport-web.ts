import type { ResponseHeaders, Transport, TransportRequest, TransportResponse } from './transport.ts'

/** The platform's own `fetch`, looked up at each call. */
export const transport: Transport = webTransport((input, init) => globalThis.fetch(input, init))

/** A transport on any `fetch`. It cannot tell when a connection stands, and decodes content by itself. */
export function webTransport(fetch: typeof globalThis.fetch): Transport {
  return { tellsConnect: false, send: (request) => send(fetch, request) }
}

async function send(fetch: typeof globalThis.fetch, request: TransportRequest): Promise<TransportResponse> {
  const { method, url, headers, body, signal } = request
  const response = await fetch(url.href, { method, headers, signal, redirect: 'manual', ...(body && { body }) })
  const reader = response.body?.getReader()
  return {
    status: response.status,
    headers: toRecord(response.headers),
    async read() {
      const result = await reader?.read()
      return result === undefined || result.done ? undefined : [result.value]
    },
    cancel() {
      // The reader, not the stream: a locked stream refuses. What fails here concerns nobody any more.
      reader?.cancel().catch(() => {})
    },
  }
}

function toRecord(headers: Headers): ResponseHeaders {
  const record: Record<string, string> = {}
  headers.forEach((value, name) => {
    record[name.toLowerCase()] = value
  })
  return record
}

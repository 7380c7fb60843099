import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { text } from 'node:stream/consumers'
import type { RequestFacts } from './received-request.ts'

/** What only the server can say about a request. */
export type RequestOrigin = Pick<RequestFacts, 'receivedAt' | 'connection' | 'index'>

/** Waits for the whole body. Rejects when the client leaves before it is complete; `origin` is asked after that. */
export async function readRequest(
  incoming: IncomingMessage,
  origin: () => RequestOrigin,
): Promise<RequestFacts> {
  const body = await text(incoming)
  const url = incoming.url ?? '/'
  const [path = '/', ...query] = withoutOrigin(url).split('?')
  return {
    ...origin(),
    method: incoming.method ?? 'GET',
    url,
    path,
    query: new URLSearchParams(query.join('?')),
    headers: joinHeaders(incoming.headers),
    body,
    json: parseJson(body),
  }
}

/** A client that believes to speak to a proxy sends the whole URL. */
function withoutOrigin(url: string): string {
  return url.replace(/^https?:\/\/[^/?]*/, '')
}

function joinHeaders(headers: IncomingHttpHeaders): Record<string, string | undefined> {
  const entries = Object.entries(headers).map(([name, value]) => [name, value?.toString()])
  return Object.fromEntries(entries)
}

function parseJson(body: string): unknown {
  try {
    return JSON.parse(body)
  } catch {
    return undefined
  }
}

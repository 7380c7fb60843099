import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'

export interface SeenRequest {
  readonly method: string
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
  readonly socket: Socket
  /** Settles when the connection of this request has closed. */
  readonly closed: Promise<void>
}

export interface LoopbackServer extends AsyncDisposable {
  readonly url: string
  readonly requests: readonly SeenRequest[]
  /** Settles with the request that arrives at this position. */
  arrival(index: number): Promise<SeenRequest>
}

export type Answer = (response: ServerResponse, request: SeenRequest) => void

/** A real HTTP server on loopback, answering every request by one function. */
export async function startLoopback(answer: Answer): Promise<LoopbackServer> {
  const requests: SeenRequest[] = []
  const waiting: (() => void)[] = []
  const server = createServer((incoming, response) => {
    response.on('error', () => {})
    void receive(incoming).then((request) => {
      requests.push(request)
      for (const wake of waiting.splice(0)) wake()
      answer(response, request)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    async arrival(index) {
      while (requests.length <= index) await new Promise<void>((resolve) => waiting.push(resolve))
      return requests[index] as SeenRequest
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

async function receive(incoming: IncomingMessage): Promise<SeenRequest> {
  const { socket } = incoming
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()))
  let body = ''
  for await (const piece of incoming.setEncoding('utf8')) body += String(piece)
  return {
    method: incoming.method ?? '',
    path: incoming.url ?? '',
    headers: incoming.headers,
    body,
    socket,
    closed,
  }
}

/** Answers with server-sent events, each piece one write, and ends. */
export function events(...pieces: (string | Uint8Array)[]): Answer {
  return (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    for (const piece of pieces) response.write(piece)
    response.end()
  }
}

/** Answers with events and leaves the answer open. */
export function openEvents(...pieces: string[]): Answer {
  return (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.flushHeaders()
    for (const piece of pieces) response.write(piece)
  }
}

/** Answers with one whole body. */
export function whole(status: number, headers: Record<string, string>, body: string | Uint8Array = ''): Answer {
  return (response) => response.writeHead(status, headers).end(body)
}

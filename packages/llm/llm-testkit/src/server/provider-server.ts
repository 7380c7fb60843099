import { type IncomingMessage, type Server, type ServerResponse, createServer } from 'node:http'
import type { Socket } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import { Journal } from './journal.ts'
import { readRequest } from './read-request.ts'
import type { ReceivedRequest } from './received-request.ts'
import { RequestRecord } from './request-record.ts'
import { type Scripts, createScriptReader } from './script-reader.ts'
import { type Sleep, sendAnswer } from './send-answer.ts'

/** Scripts, and the clock they run by. */
export interface ProviderServerOptions extends Scripts {
  /** Real timers by default; it must end with its signal. */
  readonly sleep?: Sleep | undefined
  /** `Date.now` by default. */
  readonly now?: (() => number) | undefined
}

/** A running server. It belongs to whoever started it, who must `close()` it (or use `await using`). */
export interface ProviderServer extends AsyncDisposable {
  /** `http://127.0.0.1:<port>`, without a trailing slash. */
  readonly url: string
  /** Live: an entry is added when the body of a request is complete, and its state changes with the answer. */
  readonly requests: readonly ReceivedRequest[]
  /** TCP connections accepted so far; stays 1 as long as the client reuses its connection. */
  readonly connectionCount: number
  /** TCP connections that are open now. */
  readonly openConnections: number
  /** Gives `requests[index]` once it has come (0 by default). Rejects when the server is closed before that. */
  waitForRequest(index?: number): Promise<ReceivedRequest>
  /** Destroys every open socket and abandons every wait; resolves when the port is free. May be called again. */
  close(): Promise<void>
}

/** Starts a real HTTP/1.1 server on a free loopback port that answers by script and remembers everything. */
export async function startProviderServer(options: ProviderServerOptions): Promise<ProviderServer> {
  const host = new ScriptedHost(options)
  await host.listen()
  return host
}

class ScriptedHost implements ProviderServer {
  url = ''
  connectionCount = 0
  private readonly journal = new Journal()
  private readonly sockets = new Map<Socket, number>()
  private readonly server: Server
  private readonly answerTo: ReturnType<typeof createScriptReader>
  private readonly sleep: Sleep
  private readonly now: () => number
  private closing: Promise<void> | undefined

  constructor({ sleep = timerSleep, now = Date.now, ...scripts }: ProviderServerOptions) {
    this.sleep = sleep
    this.now = now
    this.answerTo = createScriptReader(scripts)
    this.server = createServer({ noDelay: true, requestTimeout: 0 })
    this.server.on('connection', (socket) => this.track(socket))
    this.server.on('request', (incoming, response) => void this.serve(incoming, response))
  }

  get requests(): readonly ReceivedRequest[] {
    return this.journal.records
  }

  get openConnections(): number {
    return this.sockets.size
  }

  async listen(): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    this.server.once('error', reject).listen(0, '127.0.0.1', resolve)
    await promise
    const address = this.server.address()
    if (address === null || typeof address === 'string') throw new Error('The server has no port')
    this.url = `http://127.0.0.1:${address.port}`
  }

  waitForRequest(index = 0): Promise<ReceivedRequest> {
    return this.journal.waitFor(index)
  }

  close(): Promise<void> {
    this.closing ??= new Promise((resolve) => {
      this.journal.close()
      for (const record of this.journal.records) record.claimEnd()
      this.server.close(() => resolve())
      for (const socket of this.sockets.keys()) socket.destroy()
    })
    return this.closing
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  private track(socket: Socket): void {
    this.sockets.set(socket, this.connectionCount++)
    socket.once('close', () => this.sockets.delete(socket))
  }

  private async serve(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const record = await this.receive(incoming).catch(() => undefined)
    // The client left before its request was complete: there is nobody to answer and nothing to remember.
    if (record === undefined) return
    response.once('close', () => record.finish())
    if (response.destroyed) record.finish()
    this.journal.add(record)
    const { socket } = incoming
    try {
      const answer = await this.answerTo(record)
      await sendAnswer({ answer, record, response, socket, sleep: this.sleep })
    } catch (error) {
      if (record.signal.aborted) return
      record.failure = error
      record.claimEnd()
      socket.resetAndDestroy()
    }
  }

  private async receive(incoming: IncomingMessage): Promise<RequestRecord> {
    const connection = this.sockets.get(incoming.socket) ?? -1
    const facts = await readRequest(incoming, () => ({
      receivedAt: this.now(),
      connection,
      index: this.journal.records.length,
    }))
    return new RequestRecord(facts)
  }
}

async function timerSleep(delayMs: number, signal: AbortSignal): Promise<void> {
  await setTimeout(delayMs, undefined, { signal })
}

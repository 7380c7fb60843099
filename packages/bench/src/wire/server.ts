/**
 * The provider of this benchmark, a program of its own: its CPU time counts for nobody. It writes ready bytes to raw
 * sockets. The first part of the path names the workload, or `endless` and `million`.
 */
import { createServer, type Socket } from 'node:net'
import { closingEvents, workloadOf, workloads } from './workloads.ts'

const PACE_MS = 10
/** Whole events are put together to HTTP chunks of about this size, as a proxy under load does. */
const CHUNK_BYTES = 32 * 1024
const MILLION = 1_000_000

const responseHead = Buffer.from(
  'HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nx-request-id: bench\r\nTransfer-Encoding: chunked\r\n\r\n',
)
const lastChunk = Buffer.from('0\r\n\r\n')

const toEvent = (data: string): Buffer => Buffer.from(`data: ${data}\n\n`)

function toChunk(bytes: Buffer): Buffer {
  return Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, Buffer.from('\r\n')])
}

/** Whole events in HTTP chunks of bounded size. */
function pack(events: readonly Buffer[]): Buffer[] {
  const chunks: Buffer[] = []
  let waiting: Buffer[] = []
  let length = 0
  for (const event of events) {
    waiting.push(event)
    length += event.length
    if (length < CHUNK_BYTES) continue
    chunks.push(toChunk(Buffer.concat(waiting)))
    waiting = []
    length = 0
  }
  if (waiting.length > 0) chunks.push(toChunk(Buffer.concat(waiting)))
  return chunks
}

function eventsOf(name: string): Buffer[] {
  const { events } = workloadOf(name)
  return [...events, ...closingEvents(events.some((event) => event.includes('"tool_calls":[')))].map(toEvent)
}

const bodies = new Map(workloads.map(({ name }) => [name, Buffer.concat([...pack(eventsOf(name)), lastChunk])]))
const pacedChunks = eventsOf('paced').map(toChunk)
const textChunk = Buffer.concat(pack(workloadOf('text').events.slice(0, 1_000).map(toEvent)))
const closing = Buffer.concat([...pack(closingEvents(false).map(toEvent)), lastChunk])

function answerPaced(socket: Socket): void {
  socket.write(responseHead)
  let at = 0
  const timer = setInterval(() => {
    const next = pacedChunks[at]
    at += 1
    if (next !== undefined) return void socket.write(next)
    clearInterval(timer)
    socket.write(lastChunk)
  }, PACE_MS)
  socket.once('close', () => clearInterval(timer))
}

/** Text without an end; tells the parent when the connection closes. */
function answerEndless(socket: Socket): void {
  socket.write(responseHead)
  const timer = setInterval(() => void socket.write(pacedChunks[0] ?? ''), 1)
  socket.once('close', () => {
    process.send?.({ closedAt: process.hrtime.bigint().toString() })
    clearInterval(timer)
  })
}

function answerMillion(socket: Socket): void {
  socket.write(responseHead)
  let left = MILLION / 1_000
  const write = (): void => {
    while (left > 0) {
      left -= 1
      if (!socket.write(textChunk)) return void socket.once('drain', write)
    }
    socket.write(closing)
  }
  write()
}

function answer(socket: Socket, name: string): void {
  if (name === 'paced') answerPaced(socket)
  else if (name === 'endless') answerEndless(socket)
  else if (name === 'million') answerMillion(socket)
  else {
    socket.write(responseHead)
    socket.write(bodies.get(name) ?? lastChunk)
  }
}

/** Answers each complete request of a connection; the clients send one at a time. */
function serve(socket: Socket): void {
  let received = Buffer.alloc(0)
  socket.setNoDelay(true)
  socket.on('error', () => {})
  socket.on('data', (piece: Buffer) => {
    received = Buffer.concat([received, piece])
    const headEnd = received.indexOf('\r\n\r\n')
    if (headEnd < 0) return
    const head = received.toString('latin1', 0, headEnd)
    const length = Number(/content-length: *(\d+)/i.exec(head)?.[1] ?? 0)
    if (received.length < headEnd + 4 + length) return
    received = Buffer.alloc(0)
    answer(socket, /^\S+ \/([^/]+)/.exec(head)?.[1] ?? '')
  })
}

const server = createServer(serve).listen(0, '127.0.0.1', () => {
  const address = server.address()
  process.send?.({ port: typeof address === 'object' ? address?.port : 0 })
})
process.once('disconnect', () => process.exit())

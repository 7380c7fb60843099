import { once } from 'node:events'
import type { OutgoingHttpHeaders, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Writable } from 'node:stream'
import { setImmediate } from 'node:timers/promises'
import type { Answer, AnswerChunk, AnswerChunks } from './answer.ts'
import type { RequestRecord } from './request-record.ts'

/** Resolves after `delayMs`, or rejects as soon as the signal is aborted, leaving no timer behind. */
export type Sleep = (delayMs: number, signal: AbortSignal) => Promise<void>

/** One answer on its way to one client. */
export interface Delivery {
  readonly answer: Answer
  readonly record: RequestRecord
  readonly response: ServerResponse
  readonly socket: Socket
  readonly sleep: Sleep
}

/** Plays the whole answer. Rejects when the exchange is over before its end, or with what the chunks threw. */
export async function sendAnswer(delivery: Delivery): Promise<void> {
  const { answer, record } = delivery
  await pause(delivery, answer.headersDelayMs)
  if (answer.raw !== true) sendHead(delivery)
  record.startAnswer()
  await sendChunks(delivery)
  await pause(delivery, answer.trailingDelayMs)
  await end(delivery)
}

async function sendChunks(delivery: Delivery): Promise<void> {
  const { answer, record, response, socket } = delivery
  const sink = answer.raw === true ? socket : response
  let position = 0
  for await (const chunk of chunksOf(answer.chunks)) {
    const delayMs = delayBefore(answer, position++)
    if (delayMs > 0) await pause(delivery, delayMs)
    record.signal.throwIfAborted()
    const isFlowing = sink.write(chunk)
    record.countChunk(Buffer.byteLength(chunk))
    if (!isFlowing) await drained(sink, record)
    // Node joins what is written within one turn; a turn of its own gives the client a read of its own, too.
    else if (answer.batched !== true) await setImmediate()
  }
}

async function drained(sink: Writable, record: RequestRecord): Promise<void> {
  record.setPaused(true)
  await once(sink, 'drain', { signal: record.signal })
  record.setPaused(false)
}

async function pause({ record, sleep }: Delivery, delayMs = 0): Promise<void> {
  if (delayMs > 0) await sleep(delayMs, record.signal)
  record.signal.throwIfAborted()
}

function sendHead({ answer, response }: Delivery): void {
  const headers: OutgoingHttpHeaders = { 'content-type': 'text/event-stream' }
  for (const [name, value] of Object.entries(answer.headers ?? {})) {
    const key = name.toLowerCase()
    if (value === undefined) delete headers[key]
    else headers[key] = typeof value === 'string' ? value : [...value]
  }
  response.writeHead(answer.status ?? 200, headers)
  response.flushHeaders()
}

function chunksOf(chunks: AnswerChunks = []): Iterable<AnswerChunk> | AsyncIterable<AnswerChunk> {
  // A string is an iterable of characters, and is meant as one chunk.
  return typeof chunks === 'string' || chunks instanceof Uint8Array ? [chunks] : chunks
}

function delayBefore({ delaysMs = 0 }: Answer, position: number): number {
  return typeof delaysMs === 'number' ? delaysMs : (delaysMs[position] ?? 0)
}

async function end({ answer, record, response, socket }: Delivery): Promise<void> {
  const kind = answer.end ?? 'close'
  if (kind === 'hang') {
    await record.closed
    return
  }
  if (kind === 'reset') await flush(socket, record.signal)
  record.claimEnd()
  if (kind === 'reset') socket.resetAndDestroy()
  else if (kind === 'cut' || answer.raw === true) socket.destroySoon()
  else response.end()
}

/** A reset throws away what the kernel has not taken yet, so everything before it must be on its way. */
async function flush(socket: Socket, signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  socket.write('', () => resolve())
  await promise
  await setImmediate()
  signal.throwIfAborted()
}

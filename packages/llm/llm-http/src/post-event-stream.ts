import { type EventStream, HttpEventStream } from './event-stream.ts'
import { Exchange } from './exchange.ts'
import type { EventStreamRequest } from './http-request.ts'
import { prepareRequest } from './prepare-request.ts'
import { readAnswer, readJson } from './read-answer.ts'
import { readBeginning } from './read-beginning.ts'
import { readMalformed } from './response-error.ts'

/**
 * Posts JSON and opens the stream of events that answers it. Settles when the first bytes of the body show what it is;
 * anything but 2xx, and a 2xx body that is neither events nor JSON, rejects with an `LlmError`.
 */
export async function postEventStream(request: EventStreamRequest): Promise<EventStream> {
  const prepared = prepareRequest(request, 'text/event-stream', request.body)
  const exchange = new Exchange(prepared)
  return readAnswer(exchange, () => openBody(exchange, request))
}

async function openBody(exchange: Exchange, { tellsContent }: EventStreamRequest): Promise<EventStream> {
  const { begun, kind } = await readBeginning(exchange.headers, () => exchange.read())
  if (kind === 'json') return new HttpEventStream(exchange, { json: await readJson(exchange, begun) })
  // An empty 200 is a stream that ended before its first event; any other status may mean that none was to come.
  const hasNoBody = begun.length === 0 && exchange.status !== 200
  if (kind === 'other' || hasNoBody) throw await readMalformed(exchange, begun)
  return new HttpEventStream(exchange, { begun, tellsContent })
}

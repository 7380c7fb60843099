import { type BodyKind, BodyKindDetector } from './body-kind.ts'
import { type EventStream, HttpEventStream } from './event-stream.ts'
import type { Exchange } from './exchange.ts'
import type { EventStreamRequest } from './http-request.ts'
import { prepareRequest } from './prepare-request.ts'
import { readAnswer, readJson } from './read-answer.ts'
import { readMalformed } from './response-error.ts'

/**
 * Posts JSON and opens the stream of events that answers it. Settles when the first bytes of the body show what it is;
 * anything but 2xx, and a 2xx body that is neither events nor JSON, rejects with an `LlmError`.
 */
export async function postEventStream(request: EventStreamRequest): Promise<EventStream> {
  const prepared = prepareRequest(request, 'text/event-stream', request.body)
  return readAnswer(prepared, (exchange) => openBody(exchange, request))
}

async function openBody(exchange: Exchange, { tellsContent }: EventStreamRequest): Promise<EventStream> {
  const { begun, kind } = await readBeginning(exchange)
  if (kind === 'json') return new HttpEventStream(exchange, { json: await readJson(exchange, begun) })
  // An empty 200 is a stream that ended before its first event; any other status may mean that none was to come.
  const hasNoBody = begun.length === 0 && exchange.status !== 200
  if (kind === 'other' || hasNoBody) throw await readMalformed(exchange, begun)
  return new HttpEventStream(exchange, { begun, tellsContent })
}

interface Beginning {
  readonly begun: readonly Uint8Array[]
  readonly kind: Exclude<BodyKind, 'open'>
}

/** Reads until the first bytes show the kind; they are kept, for they belong to the body. */
async function readBeginning(exchange: Exchange): Promise<Beginning> {
  const detector = new BodyKindDetector(exchange.headers['content-type'])
  const begun: Uint8Array[] = []
  for (;;) {
    const pieces = await exchange.read()
    // What is blank or no field to its very end holds no event either: the reader sees an end without any.
    if (pieces === undefined) return { begun, kind: 'events' }
    let kind: BodyKind = 'open'
    for (const piece of pieces) {
      begun.push(piece)
      if (kind === 'open') kind = detector.add(piece)
    }
    if (kind !== 'open') return { begun, kind }
  }
}

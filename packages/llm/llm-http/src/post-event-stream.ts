import { BodyKindDetector } from './body-kind.ts'
import { type EventStream, HttpEventStream } from './event-stream.ts'
import { Exchange } from './exchange.ts'
import type { EventStreamRequest } from './http-request.ts'
import { parseJson } from './parse-json.ts'
import { prepareRequest } from './prepare-request.ts'
import { readWholeBody } from './read-body.ts'
import { malformedError, readMalformed, readResponseError } from './response-error.ts'

/**
 * Posts JSON and opens the stream of events that answers it. Settles when the first bytes of the body show what it is;
 * anything but 2xx, and a 2xx body that is neither events nor JSON, rejects with an `LlmError`.
 */
export async function postEventStream(request: EventStreamRequest): Promise<EventStream> {
  const exchange = await Exchange.open(prepareRequest(request, 'text/event-stream', request.body))
  try {
    if (exchange.status < 200 || exchange.status > 299) throw await readResponseError(exchange)
    return await openBody(exchange, request)
  } catch (error) {
    exchange.close()
    throw error
  }
}

async function openBody(exchange: Exchange, { tellsContent }: EventStreamRequest): Promise<EventStream> {
  const { begun, kind } = await readBeginning(exchange)
  if (kind === 'json') return new HttpEventStream(exchange, { json: await readJson(exchange, begun) })
  const hasNoBody = begun.length === 0 && exchange.status !== 200
  if (kind === 'other' || hasNoBody) throw await readMalformed(exchange, begun)
  return new HttpEventStream(exchange, { begun, tellsContent })
}

interface Beginning {
  readonly begun: readonly Uint8Array[]
  readonly kind: 'events' | 'json' | 'other'
}

async function readBeginning(exchange: Exchange): Promise<Beginning> {
  const detector = new BodyKindDetector(exchange.headers['content-type'])
  const begun: Uint8Array[] = []
  for (;;) {
    const pieces = await exchange.read()
    // What is blank or no field to its very end holds no event either: the reader sees an end without any.
    if (pieces === undefined) return { begun, kind: 'events' }
    let kind = detector.add(new Uint8Array())
    for (const piece of pieces) {
      begun.push(piece)
      if (kind === 'open') kind = detector.add(piece)
    }
    if (kind !== 'open') return { begun, kind }
  }
}

async function readJson(exchange: Exchange, begun: readonly Uint8Array[]): Promise<unknown> {
  const text = await readWholeBody(exchange, begun)
  const json = parseJson(text)
  if (json === undefined) throw malformedError(exchange, text)
  return json
}

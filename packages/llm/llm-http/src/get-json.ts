import { Exchange } from './exchange.ts'
import type { HttpRequest } from './http-request.ts'
import { prepareRequest } from './prepare-request.ts'
import { readAnswer, readJson } from './read-answer.ts'
import type { ResponseHeaders } from './transport.ts'

/** A 2xx answer, read to its end. */
export interface JsonResponse {
  readonly status: number
  readonly headers: ResponseHeaders
  readonly requestId?: string | undefined
  readonly json: unknown
}

/** Fetches one JSON document under the same limits, masking and error rules as `postEventStream`. */
export async function getJson(request: HttpRequest): Promise<JsonResponse> {
  const exchange = new Exchange(prepareRequest(request, 'application/json'))
  return readAnswer(exchange, async () => {
    const { status, headers, requestId } = exchange
    return { status, headers, requestId, json: await readJson(exchange) }
  })
}

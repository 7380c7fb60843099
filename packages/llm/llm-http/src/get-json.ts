import { Exchange } from './exchange.ts'
import type { HttpRequest } from './http-request.ts'
import { parseJson } from './parse-json.ts'
import { prepareRequest } from './prepare-request.ts'
import { readWholeBody } from './read-body.ts'
import { malformedError, readResponseError } from './response-error.ts'
import type { ResponseHeaders } from './transport.ts'

export interface JsonResponse {
  readonly status: number
  readonly headers: ResponseHeaders
  readonly requestId?: string | undefined
  readonly json: unknown
}

/** Fetches one JSON document under the same limits, masking and error rules as `postEventStream`. */
export async function getJson(request: HttpRequest): Promise<JsonResponse> {
  const exchange = await Exchange.open(prepareRequest(request, 'application/json'))
  try {
    const { status, headers, requestId } = exchange
    if (status < 200 || status > 299) throw await readResponseError(exchange)
    const text = await readWholeBody(exchange)
    const json = parseJson(text)
    if (json === undefined) throw malformedError(exchange, text)
    return { status, headers, requestId, json }
  } catch (error) {
    exchange.close()
    throw error
  }
}

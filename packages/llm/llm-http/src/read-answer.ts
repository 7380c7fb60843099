import type { Exchange } from './exchange.ts'
import { parseJson } from './parse-json.ts'
import { readWholeBody } from './read-body.ts'
import { malformedError, readResponseError } from './response-error.ts'

/**
 * Sends a request and reads its answer, which may stay open behind the result. An answer outside 2xx, and whatever
 * `read` fails with, rejects after the connection was closed.
 */
export async function readAnswer<Result>(exchange: Exchange, read: () => Promise<Result>): Promise<Result> {
  try {
    await exchange.send()
    if (exchange.status < 200 || exchange.status > 299) throw await readResponseError(exchange)
    return await read()
  } catch (error) {
    exchange.close()
    throw error
  }
}

/** The value of a whole JSON body, of which `begun` was read before; any other body is `MALFORMED_RESPONSE`. */
export async function readJson(exchange: Exchange, begun?: readonly Uint8Array[]): Promise<unknown> {
  const text = await readWholeBody(exchange, begun)
  const json = parseJson(text)
  if (json === undefined) throw malformedError(exchange, text)
  return json
}

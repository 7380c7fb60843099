import type { LlmError } from 'dsh-llm'
import type { Exchange } from './exchange.ts'
import { parseJson } from './parse-json.ts'
import { readWholeBody } from './read-body.ts'
import { malformedError } from './response-error.ts'

/** Makes the error of a 2xx answer with a JSON body, secrets masked; `undefined` for a body that tells of none. */
export type BodyClassifier = (json: unknown) => LlmError | undefined

/** The failure of a 2xx answer with JSON where events were expected; reads it to its end. `begun` are its first bytes. */
export async function readJsonFailure(
  exchange: Exchange,
  begun: readonly Uint8Array[],
  classifyBody: BodyClassifier | undefined,
): Promise<LlmError> {
  const text = exchange.request.redact(await readWholeBody(exchange, begun))
  const json = parseJson(text)
  const classified = json === undefined ? undefined : classifyBody?.(json)
  return classified ?? malformedError(exchange, text, 'events')
}

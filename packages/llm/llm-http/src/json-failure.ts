import type { LlmError } from 'dsh-llm'
import type { Exchange } from './exchange.ts'
import { parseJson } from './parse-json.ts'
import { readWholeBody } from './read-body.ts'
import { malformedError } from './response-error.ts'

/** Makes the error of a 2xx answer whose JSON body, secrets masked, holds an error; `undefined` if it knows none. */
export type BodyClassifier = (json: unknown) => LlmError | undefined

/** The failure of a 2xx answer with JSON where events were expected; reads it to its end. `begun` are its first bytes. */
export async function readJsonFailure(
  exchange: Exchange,
  begun: readonly Uint8Array[],
  classifyBody: BodyClassifier | undefined,
): Promise<LlmError> {
  const text = exchange.request.redact(await readWholeBody(exchange, begun))
  const json = parseJson(text)
  const classified = holdsError(json) ? classifyBody?.(json) : undefined
  return classified ?? malformedError(exchange, text, 'events')
}

/** Some servers put the object into a list. */
function holdsError(json: unknown): boolean {
  const holder: unknown = Array.isArray(json) ? json[0] : json
  if (typeof holder !== 'object' || holder === null || !('error' in holder)) return false
  return typeof holder.error === 'object' && holder.error !== null
}

import { createFailure, type LlmError, type LlmFailure } from 'dsh-llm'
import type { ErrorResponse } from 'dsh-llm-http'
import { createResponseRules, toHttpError, toInBandFailure } from 'dsh-llm-openai-compatible'
import { isRecord } from './payload.ts'

const rules = createResponseRules()

/** The error of an answer outside 2xx, told by status first, then by the provider's words. */
export function toStatusError(response: ErrorResponse): LlmError {
  return toHttpError(response, rules)
}

/** The failure that came inside a stream, or as a body under status 200. */
export function toStreamFailure(payload: unknown, redact: (text: string) => string): LlmFailure {
  return toInBandFailure(payload, rules, redact)
}

/** Texts of pi-ai and its SDKs that name no failure of the provider. */
const ownTexts: readonly (readonly [code: string, pattern: RegExp])[] = [
  [
    'STREAM_CLOSED',
    /\bended (?:before|without)\b|without (?:a )?finish|incomplete json segment|unfinished tool call/i,
  ],
  [
    'TRANSPORT',
    /\bterminated\b|connection error|fetch failed|socket hang up|\bE(?:CONN|PIPE|NOTFOUND|AI_AGAIN)|UND_ERR/i,
  ],
  ['TIMEOUT', /timed? ?out/i],
  ['MISSING_CREDENTIAL', /could not load credentials|no api key/i],
  ['MALFORMED_RESPONSE', /could not parse|\bin JSON\b|malformed|unexpected (?:token|end)/i],
]

/**
 * Reads the text of an error event. It is asked only where nothing was seen below pi-ai: status and body were flattened
 * into such texts as `429 {"error":…}`, `429: …` and `OpenAI API error (429): …`.
 */
export function toTextFailure(text: string, redact: (text: string) => string): LlmFailure {
  const [, plain, named, rest = text] =
    /^(?:(\d{3})\b:?\s*|.{0,60}? error \((\d{3})\):\s*)([\s\S]*)$/i.exec(text) ?? []
  const status = Number(plain ?? named)
  const payload = toPayload(rest)
  if (status >= 400 && status <= 599) return toStreamFailure(withStatus(payload, status), redact)
  const code = ownTexts.find(([, pattern]) => pattern.test(text))?.[0]
  if (code !== undefined) return createFailure(`pi-ai reported: ${redact(text).slice(0, 200)}`, code)
  return toStreamFailure(payload, redact)
}

/** JSON as it is, anything else as the provider's words. */
function toPayload(text: string): unknown {
  const start = text.indexOf('{')
  try {
    return start === -1 ? { message: text } : JSON.parse(text.slice(start))
  } catch {
    return { message: text }
  }
}

function withStatus(payload: unknown, status: number): unknown {
  return isRecord(payload) ? { ...payload, status_code: status } : { message: payload, status_code: status }
}

import { createFailure, type LlmError, type LlmFailure } from 'dsh-llm'
import type { ErrorResponse } from 'dsh-llm-http'
import { createResponseRules, toHttpError, toInBandFailure } from 'dsh-llm-openai-compatible'
import { isRecord } from './payload.ts'

const rules = createResponseRules()

/** What parsers say of an event that is no JSON. */
const unreadable = /could not parse|\bin JSON\b|malformed|unexpected (?:token|end)/i

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
    /\bterminated\b|connection error|fetch failed|socket hang up|protocol error|\bE(?:CONN|PIPE|NOTFOUND|AI_AGAIN)|UND_ERR/i,
  ],
  ['TIMEOUT', /timed? ?out/i],
  ['MISSING_CREDENTIAL', /could not load (?:the )?(?:default )?credentials|no api key/i],
  ['MALFORMED_RESPONSE', unreadable],
]

/** How far a call came: its request left, the head of an answer is there. */
export type Stage = 'unsent' | 'sent' | 'answered'

/** What is known of a failure beside its text. */
export interface TextFacts {
  readonly redact: (text: string) => string
  readonly stage: Stage
  /** Whether an event that could not be read was cut, since all that came whole could be. */
  readonly isCutEvent: boolean
}

/**
 * Reads the text of an error event. It is asked only where nothing was seen below pi-ai: status and body were flattened
 * into such texts as `429 {"error":…}`, `429: …` and `OpenAI API error (429): …`.
 */
export function toTextFailure(text: string, { redact, stage, isCutEvent }: TextFacts): LlmFailure {
  const [, plain, named, rest = text] =
    /^(?:(\d{3})\b:?\s*|.{0,60}? error \((\d{3})\):\s*)([\s\S]*)$/i.exec(text) ?? []
  const status = Number(plain ?? named)
  const payload = toPayload(rest)
  if (status >= 400 && status <= 599) return toStreamFailure(withStatus(payload, status), redact)
  const said = `pi-ai reported: ${redact(text).slice(0, 200)}`
  if (isCutEvent && unreadable.test(text)) return createFailure(said, 'STREAM_CLOSED')
  const code = ownTexts.find(([, pattern]) => pattern.test(text))?.[0]
  if (code !== undefined) return createFailure(said, code)
  const failure = toStreamFailure(payload, redact)
  return failure.code === 'SERVER' && stage !== 'sent' ? createFailure(said, codeByStage[stage]) : failure
}

/** What no provider was asked about is the request's fault; what breaks pi-ai within an answer, the answer's. */
const codeByStage = { unsent: 'INVALID_REQUEST', answered: 'MALFORMED_RESPONSE' } as const

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

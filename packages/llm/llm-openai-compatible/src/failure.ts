import { codeOfStatus, createFailure, LlmError, type LlmFailure } from 'dsh-llm'
import type { ErrorResponse } from 'dsh-llm-http'
import { type ErrorBody, readErrorBody } from './error-body.ts'
import { codeByText, codeByWord, refinements } from './failure-tables.ts'
import type { ResponseRules } from './response-rules.ts'

const MAX_EXCERPT = 200

/** The error of an answer outside 2xx: status first, then type and code, then text (agreed answer 8). */
export function toHttpError(response: ErrorResponse, rules: ResponseRules): LlmError {
  const body = readErrorBody(response.json ?? response.text)
  const code = classify(response.status, body, rules)
  const delay = response.facts.providerRetryAfterMs ?? body.retryAfterMs
  return new LlmError(response.message, code, { ...response.facts, providerRetryAfterMs: delay })
}

/**
 * The failure that came as an event, or as a body under status 200, and is told apart like an HTTP error. Its status
 * is the body's own, if that is one of a failure, else absent (agreed answer 6).
 */
export function toInBandFailure(
  payload: unknown,
  rules: ResponseRules,
  redact: (text: string) => string = (text) => text,
): LlmFailure {
  const body = readErrorBody(payload)
  const excerpt = redact(body.message ?? '').slice(0, MAX_EXCERPT)
  const message =
    excerpt === ''
      ? 'The provider reported a failure without saying why'
      : `The provider reported a failure: ${excerpt}`
  const { status, retryAfterMs } = body
  return createFailure(message, classify(status, body, rules), { status, providerRetryAfterMs: retryAfterMs })
}

/** The code of a failure. A word or a text may refine what the status says, but only as the table of refinements allows. */
function classify(status: number | undefined, body: ErrorBody, rules: ResponseRules): string {
  const allowed = refinements(status)
  for (const word of body.words) {
    const code = Object.hasOwn(rules.failureCodes, word) ? rules.failureCodes[word] : codeByWord.get(word)
    if (code !== undefined && allowed.has(code)) return code
  }
  return codeByText(body.text, allowed) ?? baseCode(status)
}

/** What is known without reading the body; within a stream that is only that the server failed. */
function baseCode(status: number | undefined): string {
  // A request body beyond the server's bound is a conversation that has grown too long.
  if (status === 413) return 'CONTEXT_WINDOW_EXCEEDED'
  return status === undefined ? 'SERVER' : codeOfStatus(status)
}

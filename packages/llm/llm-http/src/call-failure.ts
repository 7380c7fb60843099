import { isLlmError, LlmError, normaliseFailure } from 'dsh-llm'
import type { HttpLimits } from './limits.ts'
import { redactCause } from './redact-cause.ts'
import type { Redactor } from './redact.ts'
import type { TimeLimit } from './watchdog.ts'

const reasons: Readonly<Record<TimeLimit, string>> = {
  connectMs: 'no connection stood',
  firstContentMs: 'no content came',
  idleBytesMs: 'not a byte came',
  idleContentMs: 'no content came, only signs of life,',
  totalMs: 'the answer was not complete',
}

/** The failure of a call that ran into one of its time limits. */
export function timeoutError(limit: TimeLimit, limits: HttpLimits, place: string): LlmError {
  const what = `Gave up the call to ${place}: ${reasons[limit]} within ${limits[limit]} ms`
  return new LlmError(`${what} (limit ${limit}); raise the limit if the server needs longer`, 'TIMEOUT')
}

/** Turns what a transport threw into the call's error, with secrets masked in the message and all the causes. */
export function callError(thrown: unknown, place: string, redact: Redactor): LlmError {
  if (isLlmError(thrown) && redact(thrown.message) === thrown.message) return thrown as LlmError
  const { message, code } = normaliseFailure(thrown)
  const text = redact(message).slice(0, 200)
  return new LlmError(`The call to ${place} failed: ${text}`, code, {
    cause: redactCause(thrown, redact),
  })
}

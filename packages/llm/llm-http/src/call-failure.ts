import { errorChain, isLlmError, LlmError, normaliseFailure } from 'dsh-llm'
import { describeUrl } from './describe-url.ts'
import type { HttpLimits } from './limits.ts'
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
export function timeoutError(limit: TimeLimit, limits: HttpLimits, url: URL): LlmError {
  const what = `Gave up the call to ${describeUrl(url)}: ${reasons[limit]} within ${limits[limit]} ms`
  return new LlmError(`${what} (limit ${limit}); raise the limit if the server needs longer`, 'TIMEOUT')
}

/** Turns what a transport threw into the call's error, with secrets masked in the message and all the causes. */
export function callError(thrown: unknown, url: URL, redact: Redactor): LlmError {
  if (isLlmError(thrown)) return thrown as LlmError
  const { message, code } = normaliseFailure(thrown)
  const text = redact(message).slice(0, 200)
  return new LlmError(`The call to ${describeUrl(url)} failed: ${text}`, code, {
    cause: redactCause(thrown, redact),
  })
}

/** The same value if nothing in its chain of causes holds a secret, else a masked copy of the chain. */
export function redactCause(thrown: unknown, redact: Redactor): unknown {
  const chain = errorChain(thrown)
  if (!chain.some((link) => holdsSecret(link, redact))) return thrown
  return chain.reduceRight<unknown>((cause, link) => maskedCopy(link, cause, redact), undefined)
}

function holdsSecret(link: unknown, redact: Redactor): boolean {
  const texts = link instanceof Error ? [link.message, link.stack ?? ''] : [toText(link)]
  return texts.some((text) => redact(text) !== text)
}

function maskedCopy(link: unknown, cause: unknown, redact: Redactor): Error {
  const copy = new Error(redact(link instanceof Error ? link.message : toText(link)), { cause })
  if (!(link instanceof Error)) return copy
  copy.name = link.name
  copy.stack = redact(link.stack ?? '')
  return 'code' in link ? Object.assign(copy, { code: link.code }) : copy
}

function toText(link: unknown): string {
  return typeof link === 'string' ? link : 'a value that is no error'
}

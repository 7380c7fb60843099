import { collectSecrets, isCredentialName, type RedactorOptions, SHORTEST_SECRET } from './secrets.ts'

const MASK = '[masked]'

/** Masks secrets in a text; the same text comes back if there are none. */
export type Redactor = (text: string) => string

// Keys that are not the caller's own: echoed headers, keys of OpenAI's form, and keys a provider has starred out but for
// their tail. The lookbehinds keep the search linear: a body of one endless word must not stop the process.
const keyShapes =
  /\b(?:Bearer|Basic)\s+[\w.~+/=-]{8,}|\bsk-[\w-]{16,}|\bsk-[\w-]*(?:\.{3}|…)[\w-]*|(?<![\w-])[\w-]+\*{3,}[\w*-]*|(?<![\w*-])\*{3,}[\w-][\w*-]*/gi

/**
 * Makes the redactor of one call. It knows each secret in plain, JSON-escaped and URL-encoded form and in any case, the
 * beginning of a long one, a beginning of any at the very end of a cut text, and things that look like keys.
 */
export function createRedactor(options: RedactorOptions): Redactor {
  const secrets = collectSecrets(options)
  const known = secrets.length === 0 ? undefined : new RegExp(secrets.map(toPattern).join('|'), 'gi')
  return (text) => {
    const masked = known === undefined ? text : text.replace(known, MASK)
    return secrets.reduce(maskCutSecret, masked).replace(keyShapes, MASK)
  }
}

/** The headers with the values of credentials masked whole and secrets masked anywhere else. */
export function redactHeaders(
  headers: Readonly<Record<string, string>>,
  redact: Redactor,
): Record<string, string> {
  const masked: Record<string, string> = {}
  for (const [name, value] of Object.entries(headers))
    masked[name] = isCredentialName(name) ? MASK : redact(value)
  return masked
}

const LONG_SECRET = 16
const TELLING_START = 12

/** A provider may show the beginning of a key: for a long one that is enough to know it, and the word is masked. */
function toPattern(secret: string): string {
  if (secret.length < LONG_SECRET) return escaped(secret)
  const start = secret.slice(0, TELLING_START)
  const isNoWord = /^[\w-]+$/.test(start) && /\d|[a-z][A-Z]|[A-Z][a-z]/.test(start)
  return isNoWord ? `${escaped(secret)}|\\b${start}[\\w-]*` : escaped(secret)
}

function escaped(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, '\\$&')
}

function maskCutSecret(text: string, secret: string): string {
  for (let length = secret.length - 1; length >= SHORTEST_SECRET; length--) {
    if (text.endsWith(secret.slice(0, length))) return text.slice(0, -length) + MASK
  }
  return text
}

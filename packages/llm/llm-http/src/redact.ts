/** Masks secrets in a text; the same text comes back if there are none. */
export type Redactor = (text: string) => string

export interface RedactorOptions {
  /** Its user part and the values of key-like query parameters are secrets. */
  readonly url?: string | undefined
  /** The values of credential headers are secrets. */
  readonly headers?: Readonly<Record<string, string | undefined>> | undefined
  /** Those shorter than four characters are not looked for: they would tear ordinary words apart. */
  readonly secrets?: readonly string[] | undefined
}

export const MASK = '[masked]'

const SHORTEST_SECRET = 4

const credentialNames = /^(proxy-)?authorization$|cookie|api-?key|token|secret|password|^key$|^sig(nature)?$/i

/** Whether a header or query parameter of this name carries a credential. */
export function isCredentialName(name: string): boolean {
  return credentialNames.test(name) && !/^x-ratelimit/i.test(name)
}

// Keys that are not the caller's own: echoed headers, keys of OpenAI's form, and keys a provider has starred out but for
// their tail.
const keyShapes = /\b(?:Bearer|Basic)\s+[\w.~+/=-]{8,}|\bsk-[\w-]{16,}|[\w-]+\*{3,}[\w-]*|\*{3,}[\w-]+/gi

/**
 * Makes the redactor of one call. It knows each secret in plain, JSON-escaped and URL-encoded form, a beginning of one at
 * the very end of a cut text, and things that look like keys.
 */
export function createRedactor(options: RedactorOptions): Redactor {
  const secrets = collectSecrets(options)
  return (text) => {
    let masked = text
    for (const secret of secrets) masked = maskCutSecret(masked.replaceAll(secret, MASK), secret)
    return masked.replace(keyShapes, MASK)
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

function collectSecrets({ url, headers = {}, secrets = [] }: RedactorOptions): readonly string[] {
  const found = new Set<string>(secrets)
  for (const [name, value] of Object.entries(headers)) {
    if (value === undefined || !isCredentialName(name)) continue
    found.add(value.trim())
    found.add(value.trim().replace(/^\w+\s+/, ''))
  }
  for (const secret of url === undefined ? [] : urlSecrets(url)) found.add(secret)
  const forms = [...found].flatMap((secret) => [
    secret,
    JSON.stringify(secret).slice(1, -1),
    encodeURIComponent(secret.toWellFormed()),
  ])
  const long = forms.filter((form) => form.length >= SHORTEST_SECRET)
  return [...new Set(long)].toSorted((left, right) => right.length - left.length)
}

function urlSecrets(url: string): readonly string[] {
  if (!URL.canParse(url)) return []
  const { username, password, searchParams } = new URL(url)
  const parameters = [...searchParams].filter(([name]) => isCredentialName(name)).map(([, value]) => value)
  const userPart = [username, password]
  return [...userPart, ...userPart.map(decoded), ...parameters]
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

function maskCutSecret(text: string, secret: string): string {
  for (let length = secret.length - 1; length >= SHORTEST_SECRET; length--) {
    if (text.endsWith(secret.slice(0, length))) return text.slice(0, -length) + MASK
  }
  return text
}

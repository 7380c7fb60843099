/** Where the secrets of one call are known from. */
export interface RedactorOptions {
  /** Its user part, the values of key-like query parameters and key-like parts of its path are secrets. */
  readonly url?: string | undefined
  /** The values of credential headers are secrets. */
  readonly headers?: Readonly<Record<string, string | undefined>> | undefined
  /** Those shorter than four characters are not looked for: they would tear ordinary words apart. */
  readonly secrets?: readonly string[] | undefined
}

/** Shorter texts are no secrets anybody could look for. */
export const SHORTEST_SECRET = 4

/** Every form of every secret, longest first. */
export function collectSecrets({ url, headers = {}, secrets = [] }: RedactorOptions): readonly string[] {
  const found = [...secrets, ...Object.entries(headers).flatMap(headerSecrets), ...urlSecrets(url)]
  const forms = found.flatMap((secret) => [
    secret,
    JSON.stringify(secret).slice(1, -1),
    encodeURIComponent(secret.toWellFormed()),
  ])
  const long = forms.filter((form) => form.length >= SHORTEST_SECRET)
  return [...new Set(long)].toSorted((left, right) => right.length - left.length)
}

const credentialNames = /auth|cookie|api[-_]?key|(?:^|[-_])key$|token|secret|passw|credential|^sig(?:nature)?$/i

/** Whether a header or query parameter of this name carries a credential. */
export function isCredentialName(name: string): boolean {
  return credentialNames.test(name) && !/ratelimit/i.test(name)
}

/** A credential header as a whole, without its scheme, and each value of a cookie. */
function headerSecrets([name, value]: readonly [string, string | undefined]): readonly string[] {
  if (value === undefined || !isCredentialName(name)) return []
  const text = value.trim()
  const cookies = /cookie/i.test(name)
    ? text.split(';').map((pair) => pair.slice(pair.indexOf('=') + 1).trim())
    : []
  return [text, text.replace(/^\w+\s+/, ''), ...cookies]
}

/** The secrets in an address: its user part, parameters named like keys, and values and path segments that look like keys. */
function urlSecrets(url: string | undefined): readonly string[] {
  if (url === undefined || !URL.canParse(url)) return []
  const { username, password, searchParams, pathname } = new URL(url)
  const parameters = [...searchParams]
    .filter(([name, value]) => isCredentialName(name) || looksLikeKey(value))
    .map(([, value]) => value)
  const userPart = [username, password]
  return [...userPart, ...userPart.map(decoded), ...parameters, ...pathname.split('/').filter(looksLikeKey)]
}

/** Long, without a separator, letters and digits mixed: no name that people give. */
function looksLikeKey(text: string): boolean {
  return /^\w{24,}$/.test(text) && /\d/.test(text) && /[a-z]/i.test(text)
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

export const MASK = '[masked]'

/** Shorter texts are no secrets anybody could look for. */
export const SHORTEST_SECRET = 4

const credentialNames = /auth|cookie|api[-_]?key|(?:^|[-_])key$|token|secret|passw|credential|^sig(?:nature)?$/i

/** Whether a header or query parameter of this name carries a credential. */
export function isCredentialName(name: string): boolean {
  return credentialNames.test(name) && !/ratelimit/i.test(name)
}

/** The secrets in an address: its user part, parameters named like keys, and values and path segments that look like keys. */
export function urlSecrets(url: string | undefined): readonly string[] {
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

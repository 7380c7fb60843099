/** Stands where something secret stood. */
export const MASK = '[redacted]'

/** The shapes of keys people know; none begins inside a word. */
const keyFormats: readonly RegExp[] = [
  /(?<![A-Za-z0-9])[sr]k-[A-Za-z0-9_-]{10,}/g,
  /(?<![A-Za-z0-9])[sr]k_(?:live|test)_[A-Za-z0-9]{10,}/g,
  /\bBearer[\s+]+(?:(?=[\w.~+/=-]*\d)[\w.~+/=-]{8,}|[\w.~+/=-]{20,})/gi,
  /(?<![A-Za-z0-9])A(?:KI|SI)A[0-9A-Z]{16}/g,
  /(?<![A-Za-z0-9])gh[oprsu]_[A-Za-z0-9]{20,}/g,
  /(?<![A-Za-z0-9])github_pat_\w{20,}/g,
  /(?<![A-Za-z0-9])glpat-[\w-]{20,}/g,
  /(?<![A-Za-z0-9])AIza[\w-]{30,}/g,
  /(?<![A-Za-z0-9])xox[a-z]-[A-Za-z0-9-]{10,}/g,
  /(?<![A-Za-z0-9])(?:hf|gsk)_[A-Za-z0-9]{20,}/g,
  /(?<![A-Za-z0-9])xai-[A-Za-z0-9]{20,}/g,
  /(?<![A-Za-z0-9])eyJ[\w-]{8,}\.eyJ[\w-]{8,}\.[\w-]*/g,
  /-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/g,
]

/** A header that carries a credential, with its value up to the next blank, as it stands in logs and error texts. */
const headerLine =
  /\b((?:proxy-)?authorization|x-api-key|x-goog-api-key|api-key|set-cookie|cookie)(["'\\]*\s*[:=]\s*["'\\]*)(?:(?:Basic|Bearer|Token)\s+)?[^\s"'\\,;]{8,}/gi

/** All pairs of a cookie header: any of them may be the session. */
const cookieLine =
  /\b((?:set-)?cookie)(["'\\]*\s*[:=]\s*["'\\]*)[^\s"'\\,;=]+=[^\s"'\\,;]*(?:;\s*[^\s"'\\,;]+)*/gi

/** A member of JSON text, such as the arguments of a tool call, whose name says that its value is secret. */
const secretMember =
  /\b(api[-_]?key|access[-_]?token|client[-_]?secret|password)(\\*["']\s*:\s*\\*["'])[^"'\\]+/gi

/** The same as a parameter of an address. */
const secretParameter = /([?&](?:api[-_]?key|access[-_]?token|client[-_]?secret|password)=)[^&\s"'\\#]+/gi

const secretKey =
  /^(?:(?:proxy-)?authorization|x-api-key|x-goog-api-key|api[-_]?key|set-cookie|cookie|access[-_]?token|client[-_]?secret|password)$/i

/** A text without anything that has the shape of a key. Masking twice is masking once. */
export function maskKeys(text: string): string {
  let masked = text
  for (const format of keyFormats) masked = masked.replaceAll(format, MASK)
  for (const named of [cookieLine, headerLine, secretMember]) masked = masked.replaceAll(named, `$1$2${MASK}`)
  return masked.replaceAll(secretParameter, `$1${MASK}`)
}

/** Whether a text under this key is a secret whatever it looks like. */
export function isSecretKey(key: string): boolean {
  return secretKey.test(key)
}

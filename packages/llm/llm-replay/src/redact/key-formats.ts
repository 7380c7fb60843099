/** Stands where something secret stood. */
export const MASK = '[redacted]'

/**
 * Where a key or a name may begin: not inside a word, but behind the letter of an escape such as `\n`, which is no part of
 * the word, and behind a colour of a terminal.
 */
const start = String.raw`(?:(?<![A-Za-z0-9])|(?<=\\[bfnrt])|(?<=\[[\d;]{0,12}m))`

/** A pattern at such a place. */
function starting(pattern: string, flags = 'g'): RegExp {
  return new RegExp(start + pattern, flags)
}

/** A run of 16 letters and digits, by which a key is told from words with hyphens. */
const hasRun = String.raw`(?=[\w-]{0,40}?\w{16})`

/**
 * The shapes of keys people know. Whatever repeats is bounded or begins in one place only, so that no text takes longer
 * than its length.
 */
const keyFormats: readonly RegExp[] = [
  starting(String.raw`[sr]k-(?=[\w-]{0,80}\d)${hasRun}[\w-]{16,}`),
  starting(String.raw`[sr]k_(?:live|test)_[A-Za-z0-9]{10,}`),
  starting(String.raw`Bearer[\s+]+(?:(?=[\w.~+/=-]*\d)[\w.~+/=-]{8,}|[\w.~+/=-]{20,})`, 'gi'),
  starting(String.raw`(?:A(?:KI|SI)A[0-9A-Z]{16})+`),
  starting('gh[oprsu]_[A-Za-z0-9]{20,}'),
  starting(String.raw`github_pat_\w{20,}`),
  starting(String.raw`glpat-[\w-]{20,}`),
  starting(String.raw`AIza[\w-]{30,}`),
  starting('xox[a-z]-[A-Za-z0-9-]{10,}'),
  starting('(?:hf|gsk|npm)_[A-Za-z0-9]{20,}'),
  starting('xai-[A-Za-z0-9]{20,}'),
  /-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----(?:[\w+/=\s:,.]|-(?!----)|\\+[nrt])*-----END [A-Z ]{0,30}PRIVATE KEY-----/g,
  /-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----(?:(?:\s|\\+[nrt])*[A-Za-z0-9+/=]{16,})+/g,
]

/** The tail tells a token from a word; what has none is passed over whole. */
const webToken = starting(String.raw`eyJ[\w-]{8,}(\.eyJ[\w-]{8,}\.[\w-]*)?`)

const credentialHeaders = '(?:proxy-)?authorization|x-api-key|x-goog-api-key|api-key'
const blank = String.raw`(?:\s|\\[nrt])*`

/** Between a name and its value; where the name ends with a quote, the value begins with one. */
const separator = String.raw`((?:\\*["']\s*[:=]\s*\\*["']|\s*[:=]${blank}(?:\\*["'])?))`

/** A header that carries a credential, as it stands in logs and error texts; a value that is opaque, not code or prose. */
const headerLine = starting(
  String.raw`(${credentialHeaders})${separator}(?!https?:|urn:|[\w.]{0,80}\()(?:[A-Za-z][\w-]{0,30}\s+)?(?:(?=[^\s"'\\,;&(){}<>$]*\d)[^\s"'\\,;&(){}<>$]{8,}|[^\s"'\\,;&(){}<>$]{20,})`,
  'gi',
)

/** What proves a password without telling it can still be tried out. */
const digestResponse = starting(String.raw`(response)(\s*=\s*\\*["']?)(?:[\da-f]{32})+`, 'gi')

/** Pairs of a cookie header, of which any may be the session; a quoted value must not end the text around the header. */
function cookieHeader(opening: string, quotedValue: string): RegExp {
  const pair = String.raw`[^\s"'\\,;=]{1,256}=(?:${quotedValue}|[^\s"'\\,;]*)`
  return starting(String.raw`((?:set-)?cookie)(${opening})${pair}(?:;\s*(?:${pair}|[^\s"'\\,;]+))*`, 'gi')
}

const cookieLines: readonly RegExp[] = [
  cookieHeader(String.raw`\s*:${blank}`, String.raw`"[^"\\]*"`),
  cookieHeader(String.raw`(?:\\*["'])?\s*[:=]\s*\\*["']`, String.raw`\\+"[^"\\]*\\+"`),
]

/** Bounded, so that a long text without a boundary costs no more than others. */
const secretNames = String.raw`[\w-]{0,40}(?:api[-_]?key|access[-_]?key(?:[-_]?id)?|private[-_]?key|(?:access|auth|refresh|session)[-_]?token|client[-_]?secret|password|passwd|passphrase)`

/** A member of JSON text that is not whole, whose name says that its value is secret: up to the quote that ends it. */
const secretMember = new RegExp(
  String.raw`\b(${secretNames}["']\s*:\s*(?:\[\s*)?(["']))((?:\\[\s\S]|(?!\2)[^\\])*)(\2|$)`,
  'gi',
)

/** The same within a text of JSON, where quotes are escaped: up to one that is escaped as often. */
const escapedMember = new RegExp(
  String.raw`\b(${secretNames}\\+["']\s*:\s*(?:\[\s*)?(\\+["']))([\s\S]*?)((?<!\\)\2|$)`,
  'gi',
)

/** The same for a number; the mask is quoted as the name is, so the JSON stays one. */
const secretNumber = new RegExp(
  String.raw`\b(${secretNames}|${credentialHeaders})(\\*["'])(\s*:\s*)-?\d[\d.eE+-]*`,
  'gi',
)

/** The same as a parameter of an address. */
const secretParameter = new RegExp(String.raw`([?&]${secretNames}=)[^&\s"'\\#]+`, 'gi')

const variableNames = String.raw`${start}(?:[A-Z\d]{1,30}_){0,6}(?:(?:API|ACCESS|PRIVATE|SECRET|SIGNING|ENCRYPTION)_?KEY|(?:API|ACCESS|AUTH|BOT|REFRESH|SESSION)_?TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE)`

/** A variable of the environment in quotes. */
const quotedVariable = new RegExp(
  String.raw`(${variableNames}\s*=\s*(\\*["']))(?!\$)([^"'\\\r\n]{6,})(\2)`,
  'g',
)

/** The same without quotes, where it is no reference to another one and no call. */
const plainVariable = new RegExp(
  String.raw`(${variableNames}=)(?!process\.|os\.|import\.|\w[\w.]{0,80}\()[^\s"'\\$(){}]{6,}`,
  'g',
)

/** The password of an address; digits alone are a port. */
const addressPassword = /\b([a-z][a-z\d+.-]{0,20}:\/\/[^\s:@/"'\\]*:)(?!\$|\d{1,5}@)[^\s/?#"'\\]+(?=@)/gi

const secretKey = new RegExp(`^(?:${credentialHeaders}|set-cookie|cookie|${secretNames})$`, 'i')

/** Most names of members and types of chunks: too short and too plain for any format. */
const plainWord = /^(?!.*(?:[sr]k|xox.)-)[A-Za-z-]{0,15}$/

/** A text without anything that has the shape of a key. */
export function maskKeys(text: string): string {
  if (plainWord.test(text)) return text
  let masked = text
  for (const format of keyFormats) masked = masked.replaceAll(format, MASK)
  masked = masked.replaceAll(webToken, (found, tail?: string) => (tail === undefined ? found : MASK))
  for (const named of [...cookieLines, headerLine, digestResponse])
    masked = masked.replaceAll(named, `$1$2${MASK}`)
  for (const quoted of [secretMember, escapedMember, quotedVariable])
    masked = masked.replaceAll(quoted, maskQuoted)
  masked = masked.replaceAll(secretNumber, `$1$2$3$2${MASK}$2`)
  for (const named of [secretParameter, plainVariable, addressPassword])
    masked = masked.replaceAll(named, `$1${MASK}`)
  return masked
}

function maskQuoted(_found: string, ...[begin, , value, end]: string[]): string {
  return `${begin}${value === '' ? '' : MASK}${end}`
}

/** Whether a text or number under this key is a secret whatever it looks like. */
export function isSecretKey(key: string): boolean {
  return secretKey.test(key)
}

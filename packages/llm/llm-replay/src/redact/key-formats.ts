/** Stands where something secret stood. */
export const MASK = '[redacted]'

/**
 * The shapes of keys people know; none begins inside a word. Whatever repeats is bounded or begins in one place only, so
 * that no text takes longer than its length.
 */
const keyFormats: readonly RegExp[] = [
  /(?<![A-Za-z0-9])[sr]k-(?=[\w-]{0,80}\d)[\w-]{10,}/g,
  /(?<![A-Za-z0-9])[sr]k_(?:live|test)_[A-Za-z0-9]{10,}/g,
  /\bBearer[\s+]+(?:(?=[\w.~+/=-]*\d)[\w.~+/=-]{8,}|[\w.~+/=-]{20,})/gi,
  /(?<![A-Za-z0-9])A(?:KI|SI)A[0-9A-Z]{16}/g,
  /(?<![A-Za-z0-9])gh[oprsu]_[A-Za-z0-9]{20,}/g,
  /(?<![A-Za-z0-9])github_pat_\w{20,}/g,
  /(?<![A-Za-z0-9])glpat-[\w-]{20,}/g,
  /(?<![A-Za-z0-9])AIza[\w-]{30,}/g,
  /(?<![A-Za-z0-9])xox[a-z]-[A-Za-z0-9-]{10,}/g,
  /(?<![A-Za-z0-9])(?:hf|gsk|npm)_[A-Za-z0-9]{20,}/g,
  /(?<![A-Za-z0-9])xai-[A-Za-z0-9]{20,}/g,
  /-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----(?:[\w+/=\s:,.]|-(?!----)|\\+[nrt])*-----END [A-Z ]{0,30}PRIVATE KEY-----/g,
  /-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----(?:(?:\s|\\+[nrt])*[A-Za-z0-9+/=]{16,})+/g,
]

/** The tail tells a token from a word; what has none is passed over whole. */
const webToken = /(?<![A-Za-z0-9])eyJ[\w-]{8,}(\.eyJ[\w-]{8,}\.[\w-]*)?/g

/** Between a name and its value, also where both are quoted, at any depth of JSON text. */
const separator = String.raw`(["'\\]*\s*[:=]\s*["'\\]*)`

/** A header that carries a credential, as it stands in logs and error texts; a value that is opaque, not code or prose. */
const headerLine = new RegExp(
  String.raw`\b((?:proxy-)?authorization|x-api-key|x-goog-api-key|api-key)${separator}(?:[A-Za-z][\w-]{0,30}\s+)?(?:(?=[^\s"'\\,;(){}<>$]*\d)[^\s"'\\,;(){}<>$]{8,}|[^\s"'\\,;(){}<>$]{20,})`,
  'gi',
)

/** What proves a password without telling it can still be tried out. */
const digestResponse = /\b(response)(\s*=\s*\\*["']?)[\da-f]{32,}/gi

const cookiePair = String.raw`[^\s"'\\,;=]{1,256}=(?:\\*"[^"\\]*\\*"|[^\s"'\\,;]*)`

/** All pairs of a cookie header: any of them may be the session. */
const cookieLine = new RegExp(
  String.raw`\b((?:set-)?cookie)(["'\\]*\s*(?::|=(?=\s*\\*["']))\s*["'\\]*)${cookiePair}(?:;\s*(?:${cookiePair}|[^\s"'\\,;]+))*`,
  'gi',
)

/** Bounded, so that a long text without a boundary costs no more than others. */
const secretNames = String.raw`[\w-]{0,40}(?:api[-_]?key|access[-_]?key(?:[-_]?id)?|private[-_]?key|(?:access|auth|refresh|session)[-_]?token|client[-_]?secret|password|passwd|passphrase)`

/**
 * A member of JSON text, such as the arguments of a tool call, whose name says that its value is secret: up to a quote
 * like the first one, escaped as often, or to the end of a text that was cut.
 */
const secretMember = new RegExp(
  String.raw`\b(${secretNames}\\*["']\s*:\s*(?:\[\s*)?(\\*["']))([\s\S]{0,8192}?)((?<!\\)\2|$)`,
  'gi',
)

/** The same for a number; the mask is quoted as the name is, so the JSON stays one. */
const secretNumber = new RegExp(String.raw`\b(${secretNames})(\\*["'])(\s*:\s*)-?\d[\d.eE+-]*`, 'gi')

/** The same as a parameter of an address. */
const secretParameter = new RegExp(String.raw`([?&]${secretNames}=)[^&\s"'\\#]+`, 'gi')

const variableNames = String.raw`(?<![A-Za-z0-9])(?:[A-Z\d]{1,30}_){0,6}(?:(?:API|ACCESS|PRIVATE|SECRET|SIGNING|ENCRYPTION)_?KEY|(?:API|ACCESS|AUTH|BOT|REFRESH|SESSION)_?TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE)`

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

/** The password of an address. */
const addressPassword = /\b([a-z][a-z\d+.-]{0,20}:\/\/[^\s:@/"'\\]*:)[^\s/?#"'\\]+(?=@)/gi

const secretKey = new RegExp(
  String.raw`^(?:(?:proxy-)?authorization|x-api-key|x-goog-api-key|set-cookie|cookie|${secretNames})$`,
  'i',
)

/** Most names of members and types of chunks: too short and too plain for any format. */
const plainWord = /^(?!.*(?:[sr]k|xox.)-)[A-Za-z-]{0,15}$/

/** A text without anything that has the shape of a key. */
export function maskKeys(text: string): string {
  if (plainWord.test(text)) return text
  let masked = text
  for (const format of keyFormats) masked = masked.replaceAll(format, MASK)
  masked = masked.replaceAll(webToken, (found, tail?: string) => (tail === undefined ? found : MASK))
  for (const named of [cookieLine, headerLine, digestResponse]) masked = masked.replaceAll(named, `$1$2${MASK}`)
  for (const quoted of [secretMember, quotedVariable]) masked = masked.replaceAll(quoted, maskQuoted)
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

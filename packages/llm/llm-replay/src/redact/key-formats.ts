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

/** Bounded, so that a long text without a boundary costs no more than others. */
const secretNames = String.raw`[\w-]{0,40}(?:api[-_]?key|access[-_]?key(?:[-_]?id)?|private[-_]?key|(?:access|auth|refresh|session)[-_]?token|client[-_]?secret|password|passwd|passphrase)`

/** A member of JSON text, such as the arguments of a tool call, whose name says that its value is secret. */
const secretMember = new RegExp(String.raw`\b(${secretNames})(\\*["']\s*:\s*\\*["'])[^"'\\]+`, 'gi')

/** The same for a number; the mask is quoted as the name is, so the JSON stays one. */
const secretNumber = new RegExp(String.raw`\b(${secretNames})(\\*["'])(\s*:\s*)-?\d[\d.eE+-]*`, 'gi')

/** The same as a parameter of an address. */
const secretParameter = new RegExp(String.raw`([?&]${secretNames}=)[^&\s"'\\#]+`, 'gi')

/** The same as a variable of the environment. */
const secretVariable =
  /\b([A-Z0-9_]{0,60}(?:KEY|TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE)\s*=\s*\\*["']?)[^\s"'\\]{6,}/g

/** The password of an address. */
const addressPassword = /\b([a-z][a-z\d+.-]{0,20}:\/\/[^\s:@/"'\\]*:)[^\s@/"'\\]+(?=@)/gi

const secretKey = new RegExp(
  String.raw`^(?:(?:proxy-)?authorization|x-api-key|x-goog-api-key|set-cookie|cookie|${secretNames})$`,
  'i',
)

/** Most names of members and types of chunks: too short and too plain for any format. */
const plainWord = /^(?!.*(?:[sr]k|xox.)-)[A-Za-z-]{0,15}$/

/** A text without anything that has the shape of a key. Masking twice is masking once. */
export function maskKeys(text: string): string {
  if (plainWord.test(text)) return text
  let masked = text
  for (const format of keyFormats) masked = masked.replaceAll(format, MASK)
  for (const named of [cookieLine, headerLine, secretMember]) masked = masked.replaceAll(named, `$1$2${MASK}`)
  masked = masked.replaceAll(secretNumber, `$1$2$3$2${MASK}$2`)
  for (const named of [secretParameter, secretVariable, addressPassword])
    masked = masked.replaceAll(named, `$1${MASK}`)
  return masked
}

/** Whether a text or number under this key is a secret whatever it looks like. */
export function isSecretKey(key: string): boolean {
  return secretKey.test(key)
}

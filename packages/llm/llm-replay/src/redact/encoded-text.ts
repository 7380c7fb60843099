/** Asked about what an encoded run says. */
type IsSecret = (decoded: string) => boolean

// An escape such as `\n` ends a run and belongs to none, else masking would leave half of it behind.
const escapes = String.raw`(?<!\\)\\+`

/** Characters, percent and `\u` escapes. */
const escapedRun = new RegExp(
  String.raw`${escapes}(?!\\|u[\da-f]{4})[\s\S]|(?:${escapes}u[\da-f]{4}|[\w.~+/=%-])+`,
  'gi',
)
const packedRun = new RegExp(String.raw`${escapes}[\s\S]|[A-Za-z0-9+/_-]{16,}={0,2}`, 'g')
const hexRun = /[\da-f]{16,}/gi

/** Base64 in lines, as mails and certificates have it; the line breaks may be escaped. */
const packedLines =
  /(?<=^|[^A-Za-z0-9+/\\]|\\[nrt])(?:[A-Za-z0-9+/]{40,}(?:\r?\n|(?:\\+r)?\\+n))+[A-Za-z0-9+/]+={0,2}/g
const lineBreaks = /\s|(?<!\\)\\+[rn]/g

/** Replaces each run of which `isSecret` holds for what it decodes to: percent, JSON escapes, hex, base64. */
export function maskEncoded(text: string, isSecret: IsSecret, mask: string): string {
  if (text.length < 8) return text
  const isPacked = (run: string): boolean => decodings(run).some(isSecret)
  const isEscaped = (run: string): boolean => /%|.\\|^\\+u/.test(run) && isSecret(decodeEscapes(run))
  return text
    .replaceAll(packedLines, (lines) => (isPacked(lines.replaceAll(lineBreaks, '')) ? mask : lines))
    .replaceAll(packedRun, (run) => (!run.startsWith('\\') && isPacked(run) ? mask : run))
    .replaceAll(escapedRun, (run) => (isEscaped(run) ? mask : run))
}

/**
 * Finds configured secrets in every spelling they may have, in any letter case, longest first; nothing when there are
 * none.
 */
export function spellingsOf(secrets: readonly string[]): RegExp | undefined {
  const all = [...new Set(secrets.flatMap(spellings))].toSorted((a, b) => b.length - a.length)
  return all.length === 0 ? undefined : new RegExp(all.map(escapePattern).join('|'), 'gi')
}

function spellings(secret: string): readonly string[] {
  const percent = encodeURIComponent(secret.toWellFormed())
  const bytes = Buffer.from(secret, 'utf8')
  const once = escapeJson(secret)
  const twice = escapeJson(once)
  return [
    secret,
    once,
    twice,
    escapeJson(twice),
    percent,
    percent.replaceAll('%20', '+'),
    bytes.toString('hex'),
    ...[0, 1, 2].flatMap((shift) => base64At(bytes, shift)),
  ]
}

function escapePattern(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`)
}

function escapeJson(text: string): string {
  return JSON.stringify(text).slice(1, -1)
}

/** The characters that depend on the secret alone when `shift` bytes stand before it in its group of three. */
function base64At(bytes: Buffer, shift: number): readonly string[] {
  const padded = Buffer.concat([Buffer.alloc(shift), bytes])
  const start = Math.ceil((shift * 8) / 6)
  const end = Math.floor((padded.length * 8) / 6)
  return [padded.toString('base64').slice(start, end), padded.toString('base64url').slice(start, end)]
}

/**
 * All that a run may say. What stands before an encoded text may belong to the alphabet, too, such as the slash of a
 * path: then its groups begin elsewhere.
 */
function decodings(run: string): readonly string[] {
  const packed = [0, 1, 2, 3].map((start) => Buffer.from(run.slice(start), 'base64').toString('latin1'))
  const hex = run.match(hexRun) ?? []
  return [...packed, ...hex.flatMap((digits) => [decodeHex(digits), decodeHex(digits.slice(1))])]
}

function decodeHex(digits: string): string {
  return Buffer.from(digits.slice(0, digits.length & ~1), 'hex').toString('latin1')
}

function decodeEscapes(run: string): string {
  return run.replaceAll(
    /(?:%|(?<!\\)\\+u00)([\da-f]{2})|(?<!\\)\\+u[\da-f]{4}/gi,
    (_, hex: string | undefined) => (hex === undefined ? '?' : String.fromCharCode(Number.parseInt(hex, 16))),
  )
}

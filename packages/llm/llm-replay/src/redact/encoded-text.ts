/** Runs of characters that an encoding may have made out of a text. */
const encodedRun = /[A-Za-z0-9+/_%\\=.~-]{16,}/g

/** Base64 in lines, as mails and certificates have it; the line breaks may be escaped. */
const encodedLines = /(?:[A-Za-z0-9+/]{40,}(?:\r?\n|(?:\\+r)?\\+n))+[A-Za-z0-9+/]+={0,2}/g
const lineBreaks = /\s|\\+[rn]/g

/** Replaces each run of which `isSecret` holds for what it decodes to: percent, JSON escapes, hex, base64. */
export function maskEncoded(text: string, isSecret: (decoded: string) => boolean, mask: string): string {
  const isMasked = (run: string): boolean => decodings(run).some(isSecret)
  return text
    .replaceAll(encodedLines, (lines) => (isMasked(lines.replaceAll(lineBreaks, '')) ? mask : lines))
    .replaceAll(encodedRun, (run) => (isMasked(run) ? mask : run))
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
  const escaped = escapeJson(secret)
  const percent = encodeURIComponent(secret.toWellFormed())
  const bytes = Buffer.from(secret, 'utf8')
  return [
    secret,
    escaped,
    escapeJson(escaped),
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

function decodings(run: string): readonly string[] {
  const found: string[] = []
  if (run.includes('%')) found.push(decodePercent(run))
  if (run.includes('\\u')) found.push(decodeUnicode(run))
  if (/^(?:[0-9a-f]{2})+$/i.test(run)) found.push(Buffer.from(run, 'hex').toString('latin1'))
  // What stands before the encoded text may belong to the alphabet, too: a slash of a path shifts the groups.
  if (run.length >= 20) for (const start of [0, 1, 2, 3]) found.push(decodeBase64(run.slice(start)))
  return found
}

function decodePercent(run: string): string {
  return run.replaceAll(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
}

function decodeUnicode(run: string): string {
  return run.replaceAll(/\\+u([0-9a-f]{4})/gi, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  )
}

function decodeBase64(run: string): string {
  return Buffer.from(run, 'base64').toString('latin1')
}

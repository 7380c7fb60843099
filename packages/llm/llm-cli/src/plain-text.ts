// Control characters except tab and line feed, and the marks that reorder what is read (bidi).
const dangerous = /[[\p{Cc}\u202a-\u202e\u2066-\u2069]--[\t\n]]/gv

/**
 * Text of a model, a tool or a provider, safe to show: nothing in it can move the cursor, change colours or reorder the
 * line. Works piece by piece, since each character is judged alone.
 */
export function toPlainText(text: string): string {
  return text.replaceAll('\r\n', '\n').replace(dangerous, toPicture)
}

/** The same for one line: line breaks and tabs become blanks, and what is longer than `maxLength` is cut. */
export function toPlainLine(text: string, maxLength: number): string {
  const line = text
    .slice(0, maxLength * 2)
    .replaceAll(/\s+/g, ' ')
    .trim()
  const isCut = line.length > maxLength || text.length > maxLength * 2
  return toPlainText(isCut ? `${line.slice(0, maxLength - 1).toWellFormed()}…` : line)
}

/** One line of JSON with the same value, without a character that a terminal would obey. */
export function toPlainJson(value: unknown): string {
  // JSON escapes the controls below U+0020 itself.
  return JSON.stringify(value).replace(dangerous, (character) => `\\u${toHex(character)}`)
}

/** Unicode has a picture for each C0 control and for DEL; the rest becomes the replacement character. */
function toPicture(character: string): string {
  const code = character.charCodeAt(0)
  if (code < 0x20) return String.fromCharCode(0x2400 + code)
  return code === 0x7f ? '\u2421' : '\ufffd'
}

function toHex(character: string): string {
  return character.charCodeAt(0).toString(16).padStart(4, '0')
}

/** Where the JSON string ends whose first character stands at `start`: the index of its closing quote, or of the end of all. */
export function endOfString(text: string, start: number): number {
  let at = start
  while (at < text.length && text.charCodeAt(at) !== QUOTE) at += text.charCodeAt(at) === BACKSLASH ? 2 : 1
  return at
}

const QUOTE = 34
const BACKSLASH = 92

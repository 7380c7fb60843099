import { isJsonText } from 'dsh-llm'
import { endOfString } from './end-of-string.ts'

/**
 * Whether an argument text is one whole JSON object with another one after it, which some servers produce when they
 * send two calls under one id. Linear, and cheap for texts in which no `}` stands before a `{`.
 */
export function holdsRepeatedObject(text: string): boolean {
  if (!/\}\s*\{/.test(text)) return false
  const end = endOfObject(text)
  return end > 0 && text.slice(end).trimStart().startsWith('{') && isJsonText(text.slice(0, end))
}

/** Where the first object ends, by its brackets; 0 if it does not. */
function endOfObject(text: string): number {
  let depth = 0
  let at = text.search(/\S/)
  while (at < text.length) {
    const code = text.charCodeAt(at)
    if (code === QUOTE) at = endOfString(text, at + 1)
    else if (code === OPEN_BRACE) depth += 1
    else if (code === CLOSE_BRACE) depth -= 1
    at += 1
    if (depth <= 0) return at
  }
  return 0
}

const QUOTE = 34
const OPEN_BRACE = 123
const CLOSE_BRACE = 125

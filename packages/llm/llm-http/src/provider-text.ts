import type { ResponseHeaders } from './transport.ts'

const MAX_CHARACTERS = 200

/**
 * What a provider says in an error body, on one line and cut to 200 characters: the message inside JSON of any common
 * shape, or plain text. Markup gives `undefined`, as does a body that says nothing.
 */
export function readProviderText(text: string, json: unknown, headers: ResponseHeaders): string | undefined {
  if (json !== undefined) return shorten(findMessage(json))
  return isMarkup(text, headers) ? undefined : shorten(text)
}

/** Whether a body is a page for people. */
function isMarkup(text: string, headers: ResponseHeaders): boolean {
  return /\b(html|xml)\b/i.test(headers['content-type'] ?? '') || text.trimStart().startsWith('<')
}

// The error object first: a `detail` or `message` beside it is often only its heading.
const messageKeys = ['error', 'message', 'msg', 'detail', 'errors', 'error_description', 'error_msg', 'title']

function findMessage(value: unknown, depth = 0): string | undefined {
  if (typeof value === 'string') return value.trim() === '' ? undefined : value
  if (typeof value !== 'object' || value === null || depth > 4) return undefined
  if (Array.isArray(value)) return findMessage(value[0], depth + 1)
  for (const key of messageKeys) {
    const found = findMessage(Reflect.get(value, key), depth + 1)
    if (found !== undefined) return found
  }
  return undefined
}

function shorten(text: string | undefined): string | undefined {
  const line = text?.replace(/[\s\p{Cc}]+/gu, ' ').trim() ?? ''
  if (line === '') return undefined
  return line.length <= MAX_CHARACTERS ? line : `${line.slice(0, MAX_CHARACTERS - 1).toWellFormed()}…`
}

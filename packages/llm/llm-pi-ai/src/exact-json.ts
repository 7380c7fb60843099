import type { PiToolCall } from './pi-api.ts'

/** What engines have that keep the text of numbers, beyond ES2024. */
interface ExactJson extends JSON {
  readonly rawJSON?: (text: string) => object
}

const { rawJSON }: ExactJson = JSON

/**
 * The object of an argument text, for APIs that take no text. A number goes out with the digits it came with, where
 * the engine can; a text that is no object is an empty one.
 */
export function toArgumentObject(text: string): PiToolCall['arguments'] {
  const value = parseExactly(text)
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
  return isObject ? (value as PiToolCall['arguments']) : {}
}

/** The value of a JSON text that gives back every digit when it is written again; nothing for a text that is none. */
export function parseExactly(text: string): unknown {
  try {
    return JSON.parse(text, keepDigits)
  } catch {
    return undefined
  }
}

function keepDigits(_key: string, value: unknown, context?: { readonly source?: string }): unknown {
  const source = context?.source
  if (typeof value !== 'number' || source === undefined || rawJSON === undefined) return value
  return String(value) === source ? value : rawJSON(source)
}

import { parseExactly } from 'dsh-llm'
import type { PiToolCall } from './pi-api.ts'

/**
 * The object of an argument text, for APIs that take no text. Numbers go out with the digits they came with; a text
 * that is no object is an empty one.
 */
export function toArgumentObject(text: string): PiToolCall['arguments'] {
  const value: unknown = parseExactly(text)
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
  return isObject ? (value as PiToolCall['arguments']) : {}
}

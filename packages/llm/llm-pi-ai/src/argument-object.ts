import { parseExactly } from 'dsh-llm'
import { isRecord } from './payload.ts'
import type { PiToolCall } from './pi-api.ts'

/**
 * The object of an argument text, for APIs that take no text; a text that is no object is an empty one. Numbers go out
 * with the digits they came with, unless a serializer of its own would take such a number for an object.
 */
export function toArgumentObject(text: string, losesDigits: boolean): PiToolCall['arguments'] {
  const value: unknown = parseExactly(text)
  if (!isRecord(value)) return {}
  return losesDigits ? JSON.parse(text) : (value as PiToolCall['arguments'])
}

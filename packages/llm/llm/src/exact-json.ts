import type { JsonValue } from './json.ts'

/** What engines have that keep the text of numbers, beyond ES2024. */
interface ExactJson extends JSON {
  readonly rawJSON?: (text: string) => object
  readonly isRawJSON?: (value: unknown) => boolean
}

const { rawJSON, isRawJSON }: ExactJson = JSON

/**
 * The value of a JSON text that gives every digit back when it is written again: a number that memory cannot hold as it
 * stands there is an object, of which `isRawNumber` holds. On engines without `JSON.rawJSON` digits beyond 2⁵³ are lost.
 * Nothing for a text that is no JSON, or nested too deep for a reader that keeps texts.
 */
export function parseExactly(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text, keepDigits)
  } catch {
    return undefined
  }
}

/** Whether a value stands for a number by its text. */
export function isRawNumber(value: unknown): boolean {
  return isRawJSON?.(value) === true
}

function keepDigits(_key: string, value: unknown, context?: { readonly source?: string }): unknown {
  const source = context?.source
  if (typeof value !== 'number' || source === undefined || rawJSON === undefined) return value
  return String(value) === source ? value : rawJSON(source)
}

import { type JsonValue, LlmError } from 'dsh-llm'
import { compareNumber, parse, stringify } from 'lossless-json'

/** Only such numbers can be more exact in the text than in memory; in JSON they stand behind these marks. */
const riskyNumber = /(?:^|[[,:])\s*-?(?:\d{16}|\d+\.\d{15}|\d+(?:\.\d+)?[eE])/

const negativeZero = { test: (value: unknown) => Object.is(value, -0), stringify: () => '-0' }

/** Plain data on one line; every number survives, -0 included. */
export function toJson(value: unknown): string {
  return stringify(value, null, undefined, [negativeZero]) ?? 'null'
}

/** Reads one line. Throws `INVALID_RECORDING` for bad JSON, and for a number that memory cannot hold exactly. */
export function parseJson(text: string): JsonValue {
  if (text.trim() === '') throw new LlmError('it is empty', 'INVALID_RECORDING')
  try {
    if (riskyNumber.test(text)) parse(text, null, assertExact)
    const value: JsonValue = JSON.parse(text)
    return value
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    throw new LlmError(`it is not exact JSON: ${why.slice(0, 100)}`, 'INVALID_RECORDING')
  }
}

function assertExact(text: string): number {
  const value = Number(text)
  if (Number.isFinite(value) && compareNumber(text, String(value)) === 0) return value
  throw new RangeError(`the number ${text.slice(0, 40)} cannot be read without loss`)
}

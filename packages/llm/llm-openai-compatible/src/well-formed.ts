import type { JsonObject, JsonValue } from 'dsh-llm'

/** The text with each lone surrogate replaced by U+FFFD, since no server takes one. */
export function wellFormed(text: string): string {
  return text.isWellFormed() ? text : text.toWellFormed()
}

/** JSON text writes a lone surrogate as an escape, and only a lone one. */
const escapedSurrogate = /\\ud[89a-f]/i

/** The same for every text and key inside plain data; data without a lone surrogate is handed back as it is. */
export function wellFormedJson<Value extends JsonValue>(value: Value): Value
export function wellFormedJson(value: JsonValue): JsonValue {
  return escapedSurrogate.test(JSON.stringify(value)) ? repair(value) : value
}

function repair(value: JsonValue): JsonValue {
  if (typeof value === 'string') return wellFormed(value)
  if (Array.isArray(value)) return value.map(repair)
  return typeof value === 'object' && value !== null ? repairObject(value as JsonObject) : value
}

function repairObject(object: JsonObject): JsonObject {
  const entries = Object.entries(object)
  return Object.fromEntries(
    entries.flatMap(([key, value]) => (value === undefined ? [] : [[wellFormed(key), repair(value)]])),
  )
}

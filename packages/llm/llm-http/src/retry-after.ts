import type { ResponseHeaders } from './transport.ts'

const DECIMAL = /^\d+(\.\d+)?$/

/**
 * How long the provider asks to wait, in milliseconds: `retry-after-ms`, else `Retry-After` in seconds or as a date.
 * A past date is 0; anything malformed is absent. Without `wallNow` the date is measured from the answer's own `Date`.
 */
export function parseRetryAfter(headers: ResponseHeaders, wallNow?: () => number): number | undefined {
  return parseDecimal(headers['retry-after-ms'], 1) ?? parseSecondsOrDate(headers, wallNow)
}

function parseSecondsOrDate(headers: ResponseHeaders, wallNow?: () => number): number | undefined {
  const value = headers['retry-after']?.trim()
  if (value === undefined) return undefined
  const delayMs = parseDecimal(value, 1000)
  if (delayMs !== undefined || !/^[A-Z][a-z]{2}/.test(value)) return delayMs
  const dateMs = Date.parse(value)
  if (Number.isNaN(dateMs)) return undefined
  return Math.max(0, dateMs - (wallNow?.() ?? serverNow(headers)))
}

// The server's own clock made the date, so measuring from it leaves the difference of two clocks out.
function serverNow(headers: ResponseHeaders): number {
  const nowMs = Date.parse(headers['date'] ?? '')
  return Number.isNaN(nowMs) ? Date.now() : nowMs
}

function parseDecimal(value: string | undefined, unitMs: number): number | undefined {
  const text = value?.trim() ?? ''
  const delayMs = DECIMAL.test(text) ? Math.ceil(Number(text) * unitMs) : NaN
  return Number.isFinite(delayMs) ? delayMs : undefined
}

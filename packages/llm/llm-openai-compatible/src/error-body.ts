import { isObject, textOf } from './wire.ts'

/** What an error body says, whatever its shape. */
export interface ErrorBody {
  /** The provider's words for people; absent if it has none. */
  readonly message: string | undefined
  /** Everything that may tell what went wrong, for patterns. */
  readonly text: string
  /** Values of `type`, `code` and `status`, in lower case, most telling first. */
  readonly words: readonly string[]
  /** 400–599, if the body names one. */
  readonly status: number | undefined
  /** Milliseconds the body asks to wait. */
  readonly retryAfterMs: number | undefined
}

/** Every field in which some server tells something about a failure. */
interface ErrorFields {
  readonly error?: unknown
  readonly message?: unknown
  readonly detail?: unknown
  readonly msg?: unknown
  readonly type?: unknown
  readonly code?: unknown
  readonly status?: unknown
  readonly status_code?: unknown
  readonly raw_status_code?: unknown
  readonly innererror?: unknown
  readonly inner_error?: unknown
  readonly metadata?: unknown
  readonly raw?: unknown
  readonly details?: unknown
  readonly retryDelay?: unknown
}

/** How deep bodies are looked into: an array of an object of an error of its cause. */
const MAX_DEPTH = 5

/** How much of a body's text the patterns look at: some of them take longer than linear on a text made for it. */
const MAX_TEXT = 4000

/** Reads nested, flat, array-wrapped and plain error bodies. */
export function readErrorBody(body: unknown): ErrorBody {
  const levels = levelsOf(body, MAX_DEPTH)
  const message = findMessage(body, MAX_DEPTH)
  const raw = levels.map((level) => rawCause(level)).find((text) => text !== undefined)
  const text = [message, raw].flatMap((part) => part?.slice(0, MAX_TEXT) ?? []).join(' ')
  return {
    message,
    text,
    words: levels.flatMap(wordsOf),
    status: levels.map(statusOf).find((status) => status !== undefined),
    retryAfterMs: levels.map(retryDelayOf).find((delay) => delay !== undefined) ?? delayInText(text),
  }
}

/** The objects that may hold the facts, from the innermost `error` outwards. */
function levelsOf(body: unknown, depth: number): readonly ErrorFields[] {
  if (depth === 0) return []
  if (Array.isArray(body)) return levelsOf(body[0], depth - 1)
  if (!isObject(body)) return []
  const fields: ErrorFields = body
  return [...levelsOf(fields.error, depth - 1), fields]
}

/** The first text for people, from the innermost `error` outwards. */
function findMessage(body: unknown, depth: number): string | undefined {
  if (typeof body === 'string') return textOf(body.trim())
  if (depth === 0) return undefined
  if (Array.isArray(body)) return findMessage(body[0], depth - 1)
  if (!isObject(body)) return undefined
  const fields: ErrorFields = body
  // Some frameworks put the status text under `error` and the message beside it.
  const inner =
    typeof fields.error === 'string' ? [fields.message, fields.error] : [fields.error, fields.message]
  for (const value of [...inner, fields.detail, fields.msg]) {
    const message = findMessage(value, depth - 1)
    if (message !== undefined) return message
  }
  return undefined
}

/** What a router quotes from the server behind it. */
function rawCause(fields: ErrorFields): string | undefined {
  const metadata: ErrorFields = isObject(fields.metadata) ? fields.metadata : {}
  return textOf(metadata.raw)
}

function wordsOf(fields: ErrorFields): readonly string[] {
  const inner = fields.innererror ?? fields.inner_error
  const innerFields: ErrorFields = isObject(inner) ? inner : {}
  return [fields.type, fields.code, fields.status, innerFields.code].flatMap((value) => {
    if (typeof value === 'number') return [String(value)]
    return typeof value === 'string' && value !== '' ? [value.toLowerCase()] : []
  })
}

/** A status within the body; one of success says nothing (agreed answer 6). */
function statusOf(fields: ErrorFields): number | undefined {
  const { code, status, status_code, raw_status_code } = fields
  return [code, status, status_code, raw_status_code].map(toFailureStatus).find((value) => value !== undefined)
}

function toFailureStatus(value: unknown): number | undefined {
  const status = typeof value === 'string' && /^\d{3}$/.test(value) ? Number(value) : value
  return typeof status === 'number' && Number.isInteger(status) && status >= 400 && status <= 599
    ? status
    : undefined
}

/** Google's `RetryInfo`. */
function retryDelayOf(fields: ErrorFields): number | undefined {
  if (!Array.isArray(fields.details)) return undefined
  for (const detail of fields.details) {
    const delay: unknown = isObject(detail) ? (detail as ErrorFields).retryDelay : undefined
    if (typeof delay === 'string') return toDelayMs(delay)
  }
  return undefined
}

/** Some providers tell the wait only in words, such as "try again in 1m2.5s". */
function delayInText(text: string): number | undefined {
  const told = /(?:try again|retry) in ((?:\d+(?:\.\d+)?(?:ms|h|m|s))+)/i.exec(text)?.[1]
  return told === undefined ? undefined : toDelayMs(told)
}

const unitMs: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 }

function toDelayMs(text: string): number | undefined {
  const parts = [...text.matchAll(/(\d+(?:\.\d+)?)(ms|h|m|s)/gi)]
  if (parts.length === 0) return undefined
  const total = parts.reduce(
    (sum, [, count, unit = 's']) => sum + Number(count) * (unitMs[unit.toLowerCase()] ?? 0),
    0,
  )
  return Math.ceil(total)
}

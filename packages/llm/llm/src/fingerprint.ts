import { detach } from './detach.ts'
import { LlmError } from './error.ts'
import type { JsonValue } from './json.ts'
import { parsePathRule, type PathRule, rulesBelow } from './path-rule.ts'
import { readString } from './read-property.ts'
import { sha256 } from './sha256.ts'
import type { GenerateOptions } from './types.ts'

/** What a fingerprint passes over, beside what it always does. */
export interface FingerprintOptions {
  /**
   * Paths that do not count, such as `temperature`, `tools[2].parameters` or `messages[*].content`; `*` stands for any
   * one key or index, and a path takes everything below it along.
   */
  readonly ignore?: readonly string[] | undefined
}

/** What differs from run to run although the same is asked. */
const volatilePaths = ['signal', 'headers', 'sessionId', 'messages[*].id']

/**
 * A name for what a request asks: SHA-256, in hex, of its canonical JSON. Equal for equal requests in every process; no
 * two different ones are expected to share it. Costs one pass over the request, history included.
 */
export function requestFingerprint(options: GenerateOptions, settings: FingerprintOptions = {}): string {
  return sha256(JSON.stringify(canonicalRequest(options, settings)))
}

/**
 * A request as plain data in one spelling: keys sorted, absent fields left out, and without message ids, `signal`,
 * `headers` and `sessionId`. A part that is no plain data throws `INVALID_REQUEST` naming the path.
 */
export function canonicalRequest(options: GenerateOptions, settings: FingerprintOptions = {}): JsonValue {
  const { signal: _signal, ...data } = options
  const rules = [...volatilePaths, ...(settings.ignore ?? [])].map(parsePathRule)
  return toCanonical(detachRequest(data), rules)
}

function detachRequest(data: object): JsonValue {
  try {
    return detach(data)
  } catch (cause) {
    const why = readString(cause, 'message') ?? 'it cannot be read'
    throw new LlmError(`The request has no fingerprint: ${why}, give plain JSON data`, 'INVALID_REQUEST')
  }
}

function toCanonical(value: JsonValue, rules: readonly PathRule[]): JsonValue {
  if (isList(value)) return toCanonicalList(value, rules)
  if (typeof value !== 'object' || value === null) return value
  const sorted = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
  const kept: [string, JsonValue][] = []
  for (const [key, member] of sorted) {
    const below = rulesBelow(rules, key)
    if (member !== undefined && !below.some(isEnd)) kept.push([key, toCanonical(member, below)])
  }
  return Object.fromEntries(kept)
}

/** An item that a rule names by its index leaves `null`, so that the rules mean the same in what comes out. */
function toCanonicalList(items: readonly JsonValue[], rules: readonly PathRule[]): JsonValue {
  if (rules.some(([first, ...rest]) => first === '*' && rest.length === 0)) return []
  return items.map((item, index) => {
    const below = rulesBelow(rules, String(index))
    return below.some(isEnd) ? null : toCanonical(item, below)
  })
}

function isEnd(rule: PathRule): boolean {
  return rule.length === 0
}

function isList(value: JsonValue): value is readonly JsonValue[] {
  return Array.isArray(value)
}

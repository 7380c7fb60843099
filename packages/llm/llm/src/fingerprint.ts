import { detach } from './detach.ts'
import { LlmError } from './error.ts'
import type { JsonValue } from './json.ts'
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
  const rules = [...volatilePaths, ...(settings.ignore ?? [])].map(toSegments)
  return toCanonical(detachRequest(data), rules)
}

type Segments = readonly string[]

function toSegments(path: string): Segments {
  return Array.from(path.matchAll(/\["(.*?)"\]|[^.[\]]+/g), ([word, quoted]) => quoted ?? word)
}

function detachRequest(data: object): JsonValue {
  try {
    return detach(data)
  } catch (cause) {
    const why = readString(cause, 'message') ?? 'it cannot be read'
    throw new LlmError(`The request has no fingerprint: ${why}, give plain JSON data`, 'INVALID_REQUEST')
  }
}

function toCanonical(value: JsonValue, rules: readonly Segments[]): JsonValue {
  if (isList(value)) return keptMembers(value.entries(), rules).map(([, item]) => item)
  if (typeof value !== 'object' || value === null) return value
  const sorted = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
  return Object.fromEntries(keptMembers(sorted, rules))
}

/** The members that no rule takes out, in canonical form. */
function keptMembers<Key extends string | number>(
  members: Iterable<readonly [Key, JsonValue | undefined]>,
  rules: readonly Segments[],
): (readonly [Key, JsonValue])[] {
  const kept: (readonly [Key, JsonValue])[] = []
  for (const [key, member] of members) {
    const below = rules.filter(([first]) => first === '*' || first === String(key)).map((rule) => rule.slice(1))
    if (member === undefined || below.some((rule) => rule.length === 0)) continue
    kept.push([key, toCanonical(member, below)])
  }
  return kept
}

function isList(value: JsonValue): value is readonly JsonValue[] {
  return Array.isArray(value)
}

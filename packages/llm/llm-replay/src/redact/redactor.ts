import { type JsonValue, LlmError } from 'dsh-llm'
import { maskEncoded, spellingsOf } from './encoded-text.ts'
import { isSecretKey, MASK, maskKeys } from './key-formats.ts'
import { type PathRule, parsePathRules, rulesBelow } from './path-rules.ts'

/** What must not reach a file, beside everything that has the shape of a known key. */
export interface RedactConfig {
  /** Masked wherever they stand, plain or encoded; at least six characters each. */
  readonly secrets?: readonly string[] | undefined
  /** Masked wherever they match; flags are kept, `g` is added. */
  readonly patterns?: readonly RegExp[] | undefined
  /** Members of the request that are masked whole, such as `messages[*].content`; `chunks[*].…` for the answer. */
  readonly paths?: readonly string[] | undefined
  /**
   * Rewrites each text after everything else was masked, the deltas of a block as one text; keys and words of the
   * vocabulary excepted. Also the place to level what differs in each run, such as times. It runs on both sides, so it
   * must give the same for the same text.
   */
  readonly hook?: ((text: string) => string) | undefined
}

/** Names of members whose texts are words of the vocabulary: without them no line could be read again. */
const structural: ReadonlySet<string> = new Set([
  'type',
  'blockType',
  'kind',
  'role',
  'code',
  'provider',
  'model',
])

/** Encodings within encodings that are looked through. */
const maxLayers = 3

/** Takes secrets out of texts and plain data. The same instance serves recording and matching. */
export class Redactor {
  readonly #secrets: RegExp | undefined
  readonly #patterns: readonly RegExp[]
  readonly #rules: readonly PathRule[]
  readonly #hook: ((text: string) => string) | undefined

  constructor({ secrets = [], patterns = [], paths = [], hook }: RedactConfig = {}) {
    this.#secrets = spellingsOf(secrets)
    this.#patterns = patterns.map(
      ({ source, flags }) => new RegExp(source, flags.includes('g') ? flags : `${flags}g`),
    )
    this.#rules = parsePathRules(paths)
    this.#hook = hook
  }

  /** A text as it may be written. Throws what the hook throws, and `INVALID_CONFIG` if it gives no text. */
  text(text: string): string {
    const masked = this.#mask(text)
    if (this.#hook === undefined) return masked
    const given: unknown = this.#hook(masked)
    if (typeof given === 'string') return given
    throw new LlmError(
      `Could not redact: the hook gave ${given === null ? 'null' : typeof given}; return a text, and no promise of one`,
      'INVALID_CONFIG',
    )
  }

  /** Plain data as it may be written; `under` says where in the record it stands, nothing for the request. */
  value(value: JsonValue, under: readonly string[] = []): JsonValue {
    return this.#walk(value, under.reduce(rulesBelow, this.#rules))
  }

  /** Whether the check before writing still finds something: fail-closed, it asks everything but the hook again. */
  leaks(value: JsonValue): boolean {
    if (typeof value === 'string') return this.#mask(value) !== value
    if (typeof value !== 'object' || value === null) return false
    return Object.entries(value).some(([key, member]) => {
      if (member !== undefined && isSecretKey(key) && maskMember(member) !== member) return true
      if (structural.has(key) && typeof member === 'string') return this.#maskKnown(member) !== member
      return this.#mask(key) !== key || (member !== undefined && this.leaks(member))
    })
  }

  #mask(text: string): string {
    const known = this.#maskPlain(text)
    return maskEncoded(known, (decoded) => this.#isSecret(decoded, 1), MASK)
  }

  /** Most words decode to noise, in which a loose pattern finds something; it is asked about readable text only. */
  #isSecret(decoded: string, layer: number): boolean {
    const readable = (decoded.match(/[ -~\s]{8,}/g) ?? []).join('\n')
    if (this.#maskKnown(decoded) !== decoded || this.#maskPlain(readable) !== readable) return true
    if (layer === maxLayers) return false
    return maskEncoded(decoded, (inner) => this.#isSecret(inner, layer + 1), MASK) !== decoded
  }

  #maskPlain(text: string): string {
    let masked = this.#maskKnown(text)
    for (const pattern of this.#patterns) masked = masked.replaceAll(pattern, MASK)
    return masked
  }

  #maskKnown(text: string): string {
    return maskKeys(this.#secrets === undefined ? text : text.replaceAll(this.#secrets, MASK))
  }

  #walk(value: JsonValue, rules: readonly PathRule[]): JsonValue {
    if (typeof value === 'string') return this.text(value)
    if (typeof value !== 'object' || value === null) return value
    if (isList(value)) return value.map((item, index) => this.#member(String(index), item, rules))
    return Object.fromEntries(
      Object.entries(value).flatMap(([key, member]) =>
        member === undefined ? [] : [[this.#mask(key), this.#member(key, member, rules)]],
      ),
    )
  }

  #member(key: string, member: JsonValue, rules: readonly PathRule[]): JsonValue {
    const masked = isSecretKey(key) ? maskMember(member) : member
    if (masked !== member) return masked
    if (structural.has(key) && typeof member === 'string') return this.#maskKnown(member)
    const below = rulesBelow(rules, key)
    return below.some((rule) => rule.length === 0) ? MASK : this.#walk(member, below)
  }
}

/** What a member with the name of a secret becomes; an object, such as the schema of a parameter, stays and is walked. */
function maskMember(member: JsonValue): JsonValue {
  if (isList(member)) {
    const masked = member.map(maskMember)
    return masked.every((item, index) => item === member[index]) ? member : masked
  }
  return typeof member === 'string' || typeof member === 'number' ? MASK : member
}

function isList(value: JsonValue): value is readonly JsonValue[] {
  return Array.isArray(value)
}

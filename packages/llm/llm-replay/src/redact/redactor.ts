import {
  type JsonObject,
  type JsonValue,
  LlmError,
  parsePathRule,
  type PathRule,
  rulesBelow,
  isRawNumber,
  parseExactly,
} from 'dsh-llm'
import { maskEncoded, spellingsOf } from './encoded-text.ts'
import { isSecretKey, MASK, maskKeys } from './key-formats.ts'

/** What must not reach a file, beside everything that has the shape of a known key. */
export interface RedactConfig {
  /** Masked wherever they stand, plain or encoded, in any letter case; at least six characters each. */
  readonly secrets?: readonly string[] | undefined
  /** Masked wherever they match; flags are kept, `g` is added. */
  readonly patterns?: readonly RegExp[] | undefined
  /** Members of the request that are masked whole, such as `messages[*].content`; `chunks[*].…` for the answer. */
  readonly paths?: readonly string[] | undefined
  /**
   * Rewrites each text that is not empty after everything else was masked, the deltas of a block as one text; keys and
   * words of the vocabulary excepted. Also the place to level what differs in each run, such as times. It runs on both
   * sides, on recorded texts a second time: it must give the same for the same text, and leave what it gave as it is.
   */
  readonly hook?: ((text: string) => string) | undefined
}

/** Words of the vocabulary: without them no line could be read again, so only known keys are masked in them. */
const requestWords: readonly PathRule[] = [
  'provider',
  'model',
  'messages[*].role',
  'messages[*].content[*].type',
  'messages[*].source.kind',
  'messages[*].source.provider',
  'messages[*].source.model',
].map(parsePathRule)

const chunkWords: readonly PathRule[] = [
  'type',
  'blockType',
  'block.type',
  'reason.kind',
  'reason.failure.code',
  'response.provider',
  'response.model',
].map(parsePathRule)

/** Encodings within encodings that are looked through. */
const maxLayers = 3

/** Rules that go on below a member: what is masked whole, and what is a word. */
interface Place {
  readonly masked: readonly PathRule[]
  readonly words: readonly PathRule[]
}

const anywhere: Place = { masked: [], words: [] }

/** What becomes of texts and numbers on a walk. */
interface Masks {
  readonly toText: (text: string) => string
  readonly isSecretNumber: (text: string) => boolean
}

/** A text that is still not clean after so many is given up. */
const maxPasses = 8

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
    this.#rules = paths.map(parsePathRule)
    this.#hook = hook
  }

  /** A text as it may be written. Throws `INVALID_CONFIG` if the hook throws or gives no text. */
  readonly text = (text: string): string => {
    const masked = this.#mask(text)
    return this.#hook === undefined || text === '' ? masked : askHook(this.#hook, masked)
  }

  get #masks(): Masks {
    return { toText: this.text, isSecretNumber: this.#isSecretNumber }
  }

  /** A request as it may be written. */
  request(request: JsonValue): JsonValue {
    return this.#walk(request, { masked: this.#rules, words: requestWords }, this.#masks)
  }

  /** The chunk at a position of the answer as it may be written. */
  chunk(chunk: JsonValue, at: number): JsonValue {
    const masked = rulesBelow(rulesBelow(this.#rules, 'chunks'), String(at))
    return this.#walk(chunk, { masked, words: chunkWords }, this.#masks)
  }

  /** Whether the check before writing still finds something: fail-closed, it asks all but hook and paths again. */
  leaks(value: JsonValue, of: 'request' | 'chunk'): boolean {
    const place = { masked: [], words: of === 'request' ? requestWords : chunkWords }
    const masks = { toText: this.#mask, isSecretNumber: this.#isSecretNumber }
    return JSON.stringify(this.#walk(value, place, masks)) !== JSON.stringify(value)
  }

  /** Whole JSON is masked by its members, so that it stays JSON; anything else by what stands in it. */
  readonly #mask = (text: string): string => this.#maskJson(text) ?? this.#maskText(text)

  /** The very text where nothing is secret; nothing for a text that is no object or list. */
  #maskJson(text: string): string | undefined {
    if (!/^\s*[{[]/.test(text)) return undefined
    const value = parseExactly(text)
    if (typeof value !== 'object' || value === null) return undefined
    const masked = this.#walk(value, anywhere, { toText: this.#mask, isSecretNumber: this.#isMaskedNumber })
    const written = JSON.stringify(masked)
    if (written === text || written !== JSON.stringify(value)) return written
    // Of two members of one name only the last was looked at, so the text itself has to be clean, too.
    return this.#maskText(text) === text ? text : written
  }

  /** Until nothing changes, since a mask may part two keys of which only one could be seen; but not for ever. */
  #maskText(text: string): string {
    let masked = text
    for (let pass = 0; pass < maxPasses; pass += 1) {
      const before = masked
      masked = maskEncoded(this.#maskPlain(before), (decoded) => this.#isSecret(decoded, 1), MASK)
      if (masked === before) return masked
    }
    return MASK
  }

  /** Within a text a number is text, too. */
  readonly #isMaskedNumber = (text: string): boolean => this.#maskPlain(text) !== text

  /** Counts and times are no texts for patterns, but a secret stays one. */
  readonly #isSecretNumber = (text: string): boolean =>
    this.#secrets !== undefined && text.search(this.#secrets) !== -1

  /** Most words decode to noise, in which any pattern may find something; it is asked about readable text only. */
  #isSecret(decoded: string, layer: number): boolean {
    const readable = (decoded.match(/[ -~\s]{8,}/g) ?? []).join('\n')
    if (readable === '') return false
    if (this.#maskPlain(readable) !== readable) return true
    if (layer === maxLayers) return false
    return maskEncoded(readable, (inner) => this.#isSecret(inner, layer + 1), MASK) !== readable
  }

  #maskPlain(text: string): string {
    let masked = this.#maskKnown(text)
    for (const pattern of this.#patterns) masked = maskPattern(masked, pattern)
    return masked
  }

  /** Patterns are for texts; a name such as `index` is part of the shape of things. */
  #maskName(name: string): string {
    return /^[A-Za-z_]\w{0,30}$/.test(name) ? this.#maskKnown(name) : this.#mask(name)
  }

  #maskKnown(text: string): string {
    // Formats first: a secret that is a part of a key would leave the rest of it.
    const masked = maskKeys(text)
    return this.#secrets === undefined ? masked : masked.replaceAll(this.#secrets, MASK)
  }

  #walk(value: JsonValue, place: Place, masks: Masks): JsonValue {
    if (place.masked.some(isEnd)) return MASK
    if (typeof value === 'string') return place.words.some(isEnd) ? this.#maskKnown(value) : masks.toText(value)
    if (typeof value === 'number' || isRawNumber(value))
      return masks.isSecretNumber(JSON.stringify(value)) ? MASK : value
    if (typeof value !== 'object' || value === null) return value
    if (isList(value)) return value.map((item, index) => this.#walk(item, below(place, String(index)), masks))
    return this.#walkMembers(value, place, masks)
  }

  #walkMembers(value: JsonObject, place: Place, masks: Masks): JsonObject {
    const walked: Record<string, JsonValue> = Object.create(null)
    const copies = new Map<string, number>()
    for (const [key, member] of Object.entries(value)) {
      if (member === undefined) continue
      const named = isSecretKey(key) ? maskLeaves(member) : member
      walked[freeName(this.#maskName(key), walked, copies)] = this.#walk(named, below(place, key), masks)
    }
    return Object.fromEntries(Object.entries(walked))
  }
}

/** Two secret names of one object must not fall together. `copies` has by name how far its numbers are used up. */
function freeName(name: string, taken: object, copies: Map<string, number>): string {
  if (!(name in taken)) return name
  let copy = copies.get(name) ?? 2
  while (`${name} ${copy}` in taken) copy += 1
  copies.set(name, copy + 1)
  return `${name} ${copy}`
}

/** Around what is masked already, and not where a pattern matches nothing at all. */
function maskPattern(text: string, pattern: RegExp): string {
  const parts = text.split(MASK)
  return parts.map((part) => part.replaceAll(pattern, (match) => (match === '' ? '' : MASK))).join(MASK)
}

function below({ masked, words }: Place, key: string): Place {
  return { masked: rulesBelow(masked, key), words: rulesBelow(words, key) }
}

function isEnd(rule: PathRule): boolean {
  return rule.length === 0
}

function askHook(hook: (text: string) => string, text: string): string {
  let given: unknown
  try {
    given = hook(text)
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause)
    throw new LlmError(`Could not redact: the redact hook threw: ${why}`, 'INVALID_CONFIG', { cause })
  }
  if (typeof given === 'string') return given
  throw new LlmError(
    `Could not redact: the redact hook gave ${given === null ? 'null' : typeof given}; return a text, and no promise of one`,
    'INVALID_CONFIG',
  )
}

/** What a member with the name of a secret becomes; an object, such as the schema of a parameter, is walked like any. */
function maskLeaves(member: JsonValue): JsonValue {
  if (isList(member)) return member.map(maskLeaves)
  if (member === '') return member
  return typeof member === 'string' || typeof member === 'number' || isRawNumber(member) ? MASK : member
}

function isList(value: JsonValue): value is readonly JsonValue[] {
  return Array.isArray(value)
}

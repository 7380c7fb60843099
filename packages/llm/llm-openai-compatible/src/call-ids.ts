import { textDigest } from './text-digest.ts'

/** Which tool call ids a server accepts. */
export interface CallIdRules {
  readonly minLength: number
  readonly maxLength: number
  /** `word` is letters, digits, `_` and `-`; `alphanumeric` lacks the last two. */
  readonly alphabet: 'word' | 'alphanumeric'
}

const legalCharacters = { word: /^[\w-]+$/, alphanumeric: /^[A-Za-z0-9]+$/ } as const

/** Whether the server takes the id as it is. */
export function isLegalCallId(id: string, rules: CallIdRules): boolean {
  return (
    id.length >= rules.minLength && id.length <= rules.maxLength && legalCharacters[rules.alphabet].test(id)
  )
}

/**
 * Gives each call of one request its wire id, in order of appearance. A legal id keeps its form the first time; any
 * other, and every repetition, gets one made from the id and its count, so appended turns never change earlier ids.
 */
export class CallIdPlanner {
  /** Ids of the request as the history and as the wire have them: a new call may use none of them. */
  readonly known: Set<string> = new Set()
  readonly #rules: CallIdRules
  readonly #renamed: Map<string, string> = new Map()
  readonly #counts: Map<string, number> = new Map()

  constructor(rules: CallIdRules) {
    this.#rules = rules
  }

  /** The wire id of a call that now begins. */
  open(id: string): string {
    if (!this.known.has(id)) {
      this.known.add(id)
      if (isLegalCallId(id, this.#rules)) return id
    }
    const wireId = this.#make(id)
    this.known.add(wireId)
    this.#renamed.set(id, wireId)
    return wireId
  }

  /** The wire id of the latest call with this id, which its result must repeat. */
  answer(id: string): string {
    return this.#renamed.get(id) ?? id
  }

  #make(id: string): string {
    for (let count = this.#counts.get(id) ?? 1; ; count += 1) {
      const wireId = toWireId(textDigest(`${id}#${count}`), this.#rules)
      if (this.known.has(wireId)) continue
      this.#counts.set(id, count + 1)
      return wireId
    }
  }
}

function toWireId(digest: string, { minLength, maxLength, alphabet }: CallIdRules): string {
  const id = alphabet === 'word' ? `call_${digest}` : digest
  return id.slice(-maxLength).padStart(minLength, '0')
}

import { textDigest } from './text-digest.ts'

/** Which tool call ids a server accepts. */
export interface CallIdRules {
  readonly minLength: number
  readonly maxLength: number
  /** `word` is letters, digits, `_` and `-`; `alphanumeric` lacks the last two. */
  readonly alphabet: 'word' | 'alphanumeric'
}

/** A call as the history and as the wire knows it. */
export interface OpenedCall {
  readonly id: string
  readonly wireId: string
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
 * other, and every repetition, gets one made from the id and what came before, so appended turns never change earlier ids.
 */
export class CallIdPlanner {
  /** Ids of the request as the history and as the wire have them: a new call may use none of them. */
  readonly known: Set<string> = new Set()
  /** All calls so far, from which another planner can go on. */
  readonly opened: OpenedCall[] = []
  readonly #rules: CallIdRules
  readonly #renamed: Map<string, string> = new Map()

  constructor(rules: CallIdRules, earlier: readonly OpenedCall[] = []) {
    this.#rules = rules
    for (const call of earlier) this.#note(call)
  }

  /** The wire id of a call that now begins. */
  open(id: string): string {
    const keepsForm = !this.known.has(id) && isLegalCallId(id, this.#rules)
    const wireId = keepsForm ? id : this.#make(id)
    this.#note({ id, wireId })
    return wireId
  }

  /** The wire id of the latest call with this id, which its result must repeat. */
  answer(id: string): string {
    return this.#renamed.get(id) ?? id
  }

  #note(call: OpenedCall): void {
    const { id, wireId } = call
    this.opened.push(call)
    this.known.add(id)
    if (wireId === id) return
    this.known.add(wireId)
    this.#renamed.set(id, wireId)
  }

  /** Starting from how many ids there are, a free one is nearly always found at once. */
  #make(id: string): string {
    for (let salt = this.known.size; ; salt += 1) {
      const wireId = toWireId(textDigest(`${id}#${salt}`), this.#rules)
      if (!this.known.has(wireId)) return wireId
    }
  }
}

function toWireId(digest: string, { minLength, maxLength, alphabet }: CallIdRules): string {
  const id = alphabet === 'word' ? `call_${digest}` : digest
  return id.slice(-maxLength).padStart(minLength, '0')
}

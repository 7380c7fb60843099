import { errorChain } from 'dsh-llm'
import type { Redactor } from './redact.ts'

/** The same value if no secret is to be found in it, else a masked copy of its chain of causes with nothing beside it. */
export function redactCause(thrown: unknown, redact: Redactor): unknown {
  if (!new SecretSearch(redact).finds(thrown)) return thrown
  return errorChain(thrown).reduceRight<unknown>((cause, link) => maskedCopy(link, cause, redact), undefined)
}

/** Clients hang requests, responses and configurations on their errors: what is larger than this is not kept. */
const MAX_VALUES = 500

/** Looks through everything that is reachable from a value. What cannot be looked at, or is too much, counts as a find. */
class SecretSearch {
  readonly #redact: Redactor
  readonly #seen = new Set<object>()

  constructor(redact: Redactor) {
    this.#redact = redact
  }

  finds(value: unknown): boolean {
    if (typeof value === 'string') return this.#redact(value) !== value
    if (typeof value !== 'object' || value === null || this.#seen.has(value)) return false
    this.#seen.add(value)
    if (this.#seen.size > MAX_VALUES) return true
    try {
      return (
        ArrayBuffer.isView(value) || Reflect.ownKeys(value).some((key) => this.finds(Reflect.get(value, key)))
      )
    } catch {
      return true
    }
  }
}

/** Name, message, stack and code; fields that a client hung on its error are left behind. */
function maskedCopy(link: unknown, cause: unknown, redact: Redactor): Error {
  const copy = new Error(redact(link instanceof Error ? link.message : toText(link)), { cause })
  if (!(link instanceof Error)) return copy
  copy.name = redact(link.name)
  copy.stack = redact(link.stack ?? '')
  return 'code' in link && typeof link.code === 'string'
    ? Object.assign(copy, { code: redact(link.code) })
    : copy
}

function toText(link: unknown): string {
  return typeof link === 'string' ? link : 'a value that is no error'
}

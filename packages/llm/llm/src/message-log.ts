import { stripReplayState } from './strip-replay-state.ts'
import type { Message } from './types.ts'

const NO_PROVIDERS: ReadonlySet<string> = new Set()

/**
 * The messages of the latest request of one conversation. A request that goes on from it adds to it, one that goes
 * another way cuts off what differs; so the log takes no more memory than one request, however many there were.
 */
export class MessageLog {
  readonly #messages: Message[] = []
  /** For each place, the providers whose replay state occurs up to it. */
  readonly #providers: ReadonlySet<string>[] = []
  /** The same messages without the replay state of some providers, as far as somebody asked. */
  readonly #stripped = new Map<string, Message[]>()
  #validLength = 0
  #cuts = 0

  /** How often messages were cut off; while it stays the same, whoever was a start of the log still is. */
  get cuts(): number {
    return this.#cuts
  }

  /** How many messages from the first on are known as the start of a valid history. */
  get validLength(): number {
    return this.#validLength
  }

  /**
   * How many messages from the first on are the very same objects in both. Give an array that is not frozen: reading
   * one that is takes four times as long.
   */
  countSame(messages: readonly Message[]): number {
    const own = this.#messages
    const length = Math.min(own.length, messages.length)
    let at = 0
    // Four at a time takes 0.6 of the time, and this loop is what an old message costs (L10).
    while (at + 4 <= length && sameFour(own, messages, at)) at += 4
    while (at < length && own[at] === messages[at]) at += 1
    return at
  }

  /** Makes the log hold a request whose first `same` messages it has already. */
  follow(messages: readonly Message[], same: number): void {
    // A request that is but an earlier part of the log tells nothing against the rest.
    if (same === messages.length) return
    if (same < this.#messages.length) this.#cut(same)
    for (const message of messages.slice(same)) this.#append(message)
  }

  /** Remembers that the first `length` messages are the start of a valid history. */
  markValid(length: number): void {
    this.#validLength = Math.max(this.#validLength, length)
  }

  /** Providers of which some of the first `length` messages carry replay state. */
  replayProviders(length: number): ReadonlySet<string> {
    return this.#providers[length - 1] ?? NO_PROVIDERS
  }

  /** The first `length` messages, those of the given providers without replay state; each is looked at only once. */
  withoutReplayStateOf(providers: readonly string[], length: number): readonly Message[] {
    const key = JSON.stringify(providers)
    const known = this.#stripped.get(key) ?? []
    this.#stripped.set(key, known)
    for (const message of this.#messages.slice(known.length, length)) known.push(stripIfOf(providers, message))
    return Object.freeze(known.slice(0, length))
  }

  #cut(length: number): void {
    this.#messages.length = length
    this.#providers.length = length
    for (const list of this.#stripped.values()) list.length = Math.min(list.length, length)
    this.#validLength = Math.min(this.#validLength, length)
    this.#cuts += 1
  }

  #append(message: Message): void {
    const known = this.replayProviders(this.#messages.length)
    this.#messages.push(message)
    const { source } = message
    const isNew = source.kind === 'model' && source.replayState !== undefined && !known.has(source.provider)
    this.#providers.push(isNew ? new Set([...known, source.provider]) : known)
  }
}

/** The message, without replay state if it comes from one of the providers. */
export function stripIfOf(providers: readonly string[], message: Message): Message {
  const { source } = message
  return source.kind === 'model' && providers.includes(source.provider) ? stripReplayState(message) : message
}

function sameFour(a: readonly Message[], b: readonly Message[], at: number): boolean {
  return a[at] === b[at] && a[at + 1] === b[at + 1] && a[at + 2] === b[at + 2] && a[at + 3] === b[at + 3]
}

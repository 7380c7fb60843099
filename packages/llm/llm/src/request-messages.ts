import { checkHistory } from './history.ts'
import { type MessageLog, stripIfOf } from './message-log.ts'
import type { Message } from './types.ts'

/** The messages of one request, frozen to the bottom, with what the log of their conversation knows about them. */
export class RequestMessages {
  readonly messages: readonly Message[]
  /** Providers whose replay state some message carries. */
  readonly replayProviders: ReadonlySet<string>
  readonly #log: MessageLog
  readonly #cuts: number
  #validLength: number

  /** `log` starts with `messages` now; the first `validLength` of them are the start of a valid history. */
  constructor(messages: readonly Message[], log: MessageLog, validLength: number) {
    this.messages = messages
    this.replayProviders = log.replayProviders(messages.length)
    this.#log = log
    this.#cuts = log.cuts
    this.#validLength = validLength
  }

  /** Throws `INVALID_HISTORY` naming the id of the call; looks only at what came since the last valid request. */
  checkHistory(): void {
    checkHistory(this.messages, this.#validLength)
    this.#validLength = this.messages.length
    if (this.#isInLog) this.#log.markValid(this.#validLength)
  }

  /** The messages without the replay state of some providers; old ones are looked at once per conversation (L10). */
  withoutReplayStateOf(providers: readonly string[]): readonly Message[] {
    if (this.#isInLog) return this.#log.withoutReplayStateOf(providers, this.messages.length)
    return Object.freeze(this.messages.map((message) => stripIfOf(providers, message)))
  }

  /** Whether no other request took the log elsewhere meanwhile. */
  get #isInLog(): boolean {
    return this.#log.cuts === this.#cuts
  }
}

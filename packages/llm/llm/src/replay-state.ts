import type { RequestMessages } from './request-messages.ts'
import { stripReplayState } from './strip-replay-state.ts'
import type { GenerateOptions, Message } from './types.ts'

/**
 * The same request without any replay state, for one more run after `REPLAY_STATE_REJECTED`; the very same object when
 * there is none. Work is one look at each message, and each copy is made once.
 */
export function withoutReplayState(options: GenerateOptions): GenerateOptions {
  const messages = options.messages.map(stripReplayState)
  const unchanged = messages.every((message, index) => message === options.messages[index])
  return unchanged ? options : { ...options, messages: Object.freeze(messages) }
}

/**
 * The messages of a request without the replay state of providers that `keep` refuses. `keep` is asked once for each
 * provider that left any; old messages are not looked at again (L10).
 */
export function filterReplayState(
  remembered: RequestMessages,
  keep: (provider: string) => boolean,
): readonly Message[] {
  const dropped = [...remembered.replayProviders].filter((provider) => !keep(provider)).sort()
  return dropped.length === 0 ? remembered.messages : remembered.withoutReplayStateOf(dropped)
}

import type { OpenPiStream, PiEvent, PiMessage } from '../../src/pi-api.ts'

/** A message of pi-ai with nothing in it, but for what is given. */
export function piMessage(more: Partial<PiMessage>): PiMessage {
  return {
    role: 'assistant',
    content: [],
    api: 'anthropic-messages',
    provider: 'p',
    model: 'm',
    usage: {
      input: 0,
      output: 0,
      cacheRead: 0,
      cacheWrite: 0,
      totalTokens: 0,
      cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
    },
    stopReason: 'stop',
    timestamp: 0,
    ...more,
  }
}

/** Stands for pi-ai and plays events, whatever it is asked. */
export function playing(events: readonly PiEvent[]): OpenPiStream {
  return async () => ({
    async *[Symbol.asyncIterator]() {
      yield* events
    },
  })
}

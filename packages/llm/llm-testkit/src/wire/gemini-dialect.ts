import type { SseFraming } from './sse-frames.ts'

/** How Gemini's answers differ from one model, host or time to another. */
export interface GeminiDialect extends SseFraming {
  /** Where a signature stands: the first call, the last text, a part with empty text after everything; undefined is nowhere. */
  readonly thoughtSignatures: {
    readonly call?: string | undefined
    readonly text?: string | undefined
    readonly trailing?: string | undefined
  }
  /** Whether calls have ids; without, a given id stays off the wire too. */
  readonly callIds: boolean
  /** Whether parallel calls share a chunk. */
  readonly calls: 'together' | 'apart'
  /** Whether the finish stands on the last chunk with content, or in one of its own. */
  readonly finish: 'on-last' | 'alone'
  /** Goes with the finish; undefined leaves the field out. */
  readonly finishMessage: string | undefined
  /** Which chunks count tokens. */
  readonly usage: 'every-chunk' | 'last-chunk'
  readonly id: string
  readonly model: string
}

/** Google's own API. */
export const geminiDialect: GeminiDialect = {
  eol: '\r\n',
  done: false,
  thoughtSignatures: { call: 'dGVzdGtpdCB0aG91Z2h0' },
  callIds: true,
  calls: 'together',
  finish: 'on-last',
  finishMessage: undefined,
  usage: 'every-chunk',
  id: 'gemini-testkit',
  model: 'gemini-demo',
}

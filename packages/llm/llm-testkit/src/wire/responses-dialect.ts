import type { SseFraming } from './sse-frames.ts'

/** How one server of the Responses wire differs from another in what it streams. */
export interface ResponsesDialect extends SseFraming {
  /** Whether reasoning is told as a summary, as OpenAI does, or as the text itself, as DeepSeek does. */
  readonly reasoning: 'summary' | 'text'
  /** Stands on a finished reasoning item; undefined leaves the field out. */
  readonly encryptedContent: string | undefined
  /** Stands on the message item (`commentary`, `final_answer`); undefined leaves the field out. */
  readonly phase: string | undefined
  /** Whether an item keeps its id, or has another one in each event, as behind one known proxy. */
  readonly itemIds: 'stable' | 'per-event'
  readonly itemIdPrefixes: { readonly reasoning: string; readonly message: string; readonly call: string }
  readonly callIdPrefix: string
  /** Whether the terminal event repeats the items. */
  readonly output: 'items' | 'empty'
  /** Which events tell an error. */
  readonly failure: 'error' | 'failed' | 'both'
  /** Whether the facts of an `error` event stand under `error`, as recorded, or beside `type`, as OpenAI types them. */
  readonly errorShape: 'nested' | 'flat'
  readonly id: string
  readonly model: string
  /** Seconds since the epoch. */
  readonly created: number
}

/** OpenAI's own API. */
export const responsesDialect: ResponsesDialect = {
  done: false,
  reasoning: 'summary',
  encryptedContent: 'dGVzdGtpdCByZWFzb25pbmc=',
  phase: undefined,
  itemIds: 'stable',
  itemIdPrefixes: { reasoning: 'rs_', message: 'msg_', call: 'fc_' },
  callIdPrefix: 'call_',
  output: 'items',
  failure: 'both',
  errorShape: 'nested',
  id: 'resp_testkit',
  model: 'gpt-demo',
  created: 1_795_910_400,
}

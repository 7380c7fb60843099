import { createFailure, type FinishReason, type PlainFinishKind } from 'dsh-llm'

/** What a wire value means: a normal end, or a failure with its code. */
export type FinishMeaning = PlainFinishKind | { readonly code: string }

/** Meanings by wire value, in lower case. */
export type FinishReasonTable = Readonly<Record<string, FinishMeaning>>

/**
 * Values met on Chat Completions servers, in lower case. Interruptions are `SERVER`, since `ABORTED` is reserved for
 * the caller's own abort.
 */
export const defaultFinishReasons: FinishReasonTable = Object.freeze({
  stop: 'stop',
  eos: 'stop',
  end_turn: 'stop',
  stop_sequence: 'stop',
  length: 'max-tokens',
  max_tokens: 'max-tokens',
  model_length: 'max-tokens',
  tool_calls: 'tool-calls',
  tool_use: 'tool-calls',
  function_call: 'tool-calls',
  sensitive: { code: 'CONTENT_FILTER' },
  model_context_window_exceeded: { code: 'CONTEXT_WINDOW_EXCEEDED' },
  error: { code: 'SERVER' },
  abort: { code: 'SERVER' },
  aborted: { code: 'SERVER' },
  network_error: { code: 'SERVER' },
})

const MAX_CODE_LENGTH = 64

/** Maps a wire value. One that the table does not list becomes a failure whose code is the upper-cased value. */
export function mapFinishReason(raw: string, table: FinishReasonTable): PlainFinishKind | FinishReason {
  const name = raw.trim().toLowerCase()
  const meaning = Object.hasOwn(table, name) ? table[name] : undefined
  if (typeof meaning === 'string') return meaning
  const code = meaning?.code ?? toCode(name)
  const shown = raw.trim().slice(0, MAX_CODE_LENGTH)
  return {
    kind: 'error',
    failure: createFailure(`The provider ended the answer with the finish reason "${shown}"`, code),
  }
}

/** A legal code whatever the provider wrote; it never grows beyond its bound. */
function toCode(name: string): string {
  const code = name
    .toUpperCase()
    .replaceAll(/[^A-Z0-9]+/g, '_')
    .replaceAll(/^_+|_+$/g, '')
    .slice(0, MAX_CODE_LENGTH)
  return code === '' ? 'UNKNOWN' : code
}

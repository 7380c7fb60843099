import {
  CallId,
  type FinishChunk,
  type FinishReason,
  type LlmFailure,
  type StreamChunk,
} from '../../src/index.ts'

/** Chunks in one word each, so that a stream in a test reads as one line. */
export const open = (index: number, blockType: 'text' | 'reasoning' | 'tool-call' = 'text'): StreamChunk => ({
  type: 'block-start',
  index,
  blockType,
})

export const delta = (index: number, text: string): StreamChunk => ({ type: 'text-delta', index, text })

export const thought = (index: number, text: string): StreamChunk => ({ type: 'reasoning-delta', index, text })

export const piece = (
  index: number,
  argumentsDelta: string,
  name?: string,
  id = `call-${index}`,
): StreamChunk => ({
  type: 'tool-call-delta',
  index,
  id: CallId(id),
  ...(name === undefined ? undefined : { name }),
  argumentsDelta,
})

export const close = (index: number, text: string, type: 'text' | 'reasoning' = 'text'): StreamChunk => ({
  type: 'block-end',
  index,
  block: { type, text },
})

export const closeCall = (index: number, args: string, name = 'look', id = `call-${index}`): StreamChunk => ({
  type: 'block-end',
  index,
  block: { type: 'tool-call', id: CallId(id), name, arguments: args },
})

export const finish = (
  kind: 'stop' | 'tool-calls' | 'max-tokens',
  extra: Partial<FinishChunk> = {},
): FinishChunk => ({
  ...extra,
  type: 'finish',
  reason: { kind },
})

export const failed = (
  code: string,
  message = 'It failed',
  kind: 'error' | 'aborted' = 'error',
): FinishChunk => ({
  type: 'finish',
  reason: { kind, failure: failure(code, message) },
})

export const failure = (code: string, message = 'It failed'): LlmFailure => ({ message, code })

export const attempt = (number: number, code = 'SERVER'): StreamChunk => ({
  type: 'attempt',
  attempt: number,
  failure: failure(code),
  delayMs: 0,
})

/** A whole legal answer of one text block. */
export const says = (text: string): StreamChunk[] => [open(0), delta(0, text), close(0, text), finish('stop')]

/** A whole legal answer of one tool call. */
export const calls = (args = '{}', name = 'look'): StreamChunk[] => [
  open(0, 'tool-call'),
  piece(0, args, name),
  closeCall(0, args, name),
  finish('tool-calls'),
]

/** A chunk that only plain JavaScript could make. */
export const odd = (chunk: unknown): StreamChunk => chunk as StreamChunk

export const reason = (value: unknown): FinishReason => value as FinishReason

/** A stream as an adapter or a listener would write it. */
export async function* stream(...chunks: readonly unknown[]): AsyncGenerator<StreamChunk, void, undefined> {
  for (const chunk of chunks) yield chunk as StreamChunk
}

import type { JsonValue, StreamChunk } from 'dsh-llm'
import type { TimedChunk } from '../file/recorded-call.ts'
import type { Redactor } from './redactor.ts'

/**
 * Chunks as they may be written. A secret may be spread over the deltas of a block, so each block is looked at as a
 * whole; one that holds a secret keeps its first delta, with the masked text of all.
 */
export function redactChunks(chunks: readonly TimedChunk[], redactor: Redactor): readonly TimedChunk[] {
  const masked = maskedBlocks(chunks, redactor)
  const begun = new Set<number>()
  return chunks.flatMap(([atMs, chunk]): readonly TimedChunk[] => {
    const text = deltaOf(chunk)
    const whole = 'index' in chunk ? masked.get(chunk.index) : undefined
    if (text === undefined || whole === undefined || !('index' in chunk))
      return [[atMs, clean(chunk, redactor)]]
    if (begun.has(chunk.index)) return []
    begun.add(chunk.index)
    return [[atMs, withDelta(clean(withDelta(chunk, ''), redactor), whole)]]
  })
}

/** The text of each block that holds a secret, masked. */
function maskedBlocks(chunks: readonly TimedChunk[], redactor: Redactor): ReadonlyMap<number, string> {
  const pieces = new Map<number, string[]>()
  for (const [, chunk] of chunks) {
    const text = deltaOf(chunk)
    if (text === undefined || !('index' in chunk)) continue
    const known = pieces.get(chunk.index)
    if (known === undefined) pieces.set(chunk.index, [text])
    else known.push(text)
  }
  const masked = new Map<number, string>()
  for (const [index, texts] of pieces) {
    const text = texts.join('')
    const whole = redactor.text(text)
    if (whole !== text || texts.some((piece) => redactor.text(piece) !== piece)) masked.set(index, whole)
  }
  return masked
}

function deltaOf(chunk: StreamChunk): string | undefined {
  if (chunk.type === 'tool-call-delta') return chunk.argumentsDelta
  return chunk.type === 'text-delta' || chunk.type === 'reasoning-delta' ? chunk.text : undefined
}

function withDelta(chunk: StreamChunk, text: string): StreamChunk {
  if (chunk.type === 'tool-call-delta') return { ...chunk, argumentsDelta: text }
  return chunk.type === 'text-delta' || chunk.type === 'reasoning-delta' ? { ...chunk, text } : chunk
}

/** Redaction keeps the shape: only texts change. */
function clean(chunk: StreamChunk, redactor: Redactor): StreamChunk {
  const data: unknown = redactor.value(toData(chunk), 'chunks')
  return data as StreamChunk
}

/** The boundary lets only sound chunks pass, and those are plain data. */
function toData(chunk: StreamChunk): JsonValue {
  const data: unknown = chunk
  return data as JsonValue
}

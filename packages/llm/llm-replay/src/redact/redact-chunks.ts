import type { JsonValue, StreamChunk } from 'dsh-llm'
import type { TimedChunk } from '../file/recorded-call.ts'
import { MASK } from './key-formats.ts'
import type { Redactor } from './redactor.ts'

type DeltaType = 'text-delta' | 'reasoning-delta' | 'tool-call-delta'
type DeltaChunk = Extract<StreamChunk, { readonly type: DeltaType }>

/**
 * Chunks as they may be written. A secret may be spread over the deltas of a block, so each block is looked at as a
 * whole, and once; one that holds a secret keeps its first delta, with the masked text of all.
 */
export function redactChunks(chunks: readonly TimedChunk[], redactor: Redactor): readonly TimedChunk[] {
  const masked = maskedBlocks(chunks, redactor)
  const begun = new Set<number>()
  return chunks.flatMap(([atMs, chunk], at): readonly TimedChunk[] => {
    if (!isDelta(chunk)) return [[atMs, clean(chunk, at, redactor)]]
    const rest = clean(withText(chunk, ''), at, redactor)
    // Only a path masks what is empty.
    const whole = textOf(rest) === MASK ? MASK : masked.get(chunk.index)
    if (whole !== undefined && begun.has(chunk.index)) return []
    begun.add(chunk.index)
    return [[atMs, withText(rest, whole ?? textOf(chunk))]]
  })
}

/** Whether redacted chunks still hold what looks like a key, whatever a hook has done. */
export function chunksLeak(chunks: readonly TimedChunk[], redactor: Redactor): boolean {
  const texts = [...blockTexts(chunks).values()]
  return (
    texts.some((text) => redactor.leaks(text, 'chunk')) ||
    withoutDeltas(chunks).some((chunk) => redactor.leaks(toData(chunk), 'chunk'))
  )
}

/** The chunks, but of deltas only those that differ in more than their text, which are few. */
function withoutDeltas(chunks: readonly TimedChunk[]): readonly StreamChunk[] {
  const shells = new Set<string>()
  return chunks.flatMap(([, chunk]): readonly StreamChunk[] => {
    if (!isDelta(chunk)) return [chunk]
    const shell = withText(chunk, '')
    const known = shells.size
    return shells.add(JSON.stringify(shell)).size === known ? [] : [shell]
  })
}

/** The text of each block that holds a secret, masked. */
function maskedBlocks(chunks: readonly TimedChunk[], redactor: Redactor): ReadonlyMap<number, string> {
  const masked = new Map<number, string>()
  for (const [index, text] of blockTexts(chunks)) {
    const whole = redactor.text(text)
    if (whole !== text) masked.set(index, whole)
  }
  return masked
}

/** What the deltas of each block give together. */
function blockTexts(chunks: readonly TimedChunk[]): ReadonlyMap<number, string> {
  const texts = new Map<number, string>()
  for (const [, chunk] of chunks)
    if (isDelta(chunk)) texts.set(chunk.index, (texts.get(chunk.index) ?? '') + textOf(chunk))
  return texts
}

function isDelta(chunk: StreamChunk): chunk is DeltaChunk {
  return chunk.type === 'text-delta' || chunk.type === 'reasoning-delta' || chunk.type === 'tool-call-delta'
}

function textOf(chunk: DeltaChunk): string {
  return chunk.type === 'tool-call-delta' ? chunk.argumentsDelta : chunk.text
}

function withText(chunk: DeltaChunk, text: string): DeltaChunk {
  return chunk.type === 'tool-call-delta' ? { ...chunk, argumentsDelta: text } : { ...chunk, text }
}

/** Redaction keeps the shape: only texts change. */
function clean<Chunk extends StreamChunk>(chunk: Chunk, at: number, redactor: Redactor): Chunk {
  const data: unknown = redactor.chunk(toData(chunk), at)
  return data as Chunk
}

/** The boundary lets only sound chunks pass, and those are plain data. */
function toData(chunk: StreamChunk): JsonValue {
  const data: unknown = chunk
  return data as JsonValue
}

import type { TokenUsage, UsageChunk } from './types.ts'

const fields = [
  'inputTokens',
  'outputTokens',
  'cacheReadTokens',
  'cacheWriteTokens',
  'reasoningTokens',
] as const

/** The chunk itself if all its counts are whole and not negative; otherwise a copy with the sound ones only. */
export function soundUsage(chunk: UsageChunk): UsageChunk {
  const { usage } = chunk
  // No usage at all is for the grammar to see.
  if (typeof usage !== 'object' || usage === null) return chunk
  if (fields.every((field) => usage[field] === undefined || isCount(usage[field]))) return chunk
  const sound: { -readonly [Field in keyof TokenUsage]: TokenUsage[Field] } = {}
  for (const field of fields) if (isCount(usage[field])) sound[field] = usage[field]
  return { type: 'usage', usage: Object.freeze(sound) }
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0
}

import type { TokenUsage } from 'dsh-llm'
import type { OutputCount } from './response-rules.ts'
import { isObject, type WireUsage } from './wire.ts'

/**
 * Reads a usage object into disjoint counts. Counts that are absent or odd stay unknown; an object without any sound
 * count gives `undefined`.
 */
export function toTokenUsage(wire: unknown, outputCount: OutputCount): TokenUsage | undefined {
  if (!isObject(wire)) return undefined
  const usage: WireUsage = wire
  const cacheReadTokens = cachedTokens(usage)
  const cacheWriteTokens = cacheWrites(usage)
  const reasoningTokens = firstCount(
    detailsOf(usage.completion_tokens_details).reasoning_tokens,
    usage.reasoning_tokens,
  )
  const inputTokens = uncachedInput(usage, (cacheReadTokens ?? 0) + (cacheWriteTokens ?? 0))
  const outputTokens = allOutput(usage, outputCount, reasoningTokens)
  const counts = { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens, reasoningTokens }
  const known = Object.entries(counts).filter(([, count]) => count !== undefined)
  return known.length === 0 ? undefined : (Object.fromEntries(known) as TokenUsage)
}

/** Servers name it in five ways, and some repeat it under two of them. */
function cachedTokens(usage: WireUsage): number | undefined {
  const details = detailsOf(usage.prompt_tokens_details)
  return firstCount(
    usage.prompt_cache_hit_tokens,
    details.cached_tokens,
    usage.cached_tokens,
    usage.num_cached_tokens,
    usage.cache_read_input_tokens,
  )
}

function cacheWrites(usage: WireUsage): number | undefined {
  const details = detailsOf(usage.prompt_tokens_details)
  return firstCount(
    details.cache_write_tokens,
    details.cache_creation_input_tokens,
    usage.cache_write_tokens,
    usage.cache_creation_input_tokens,
  )
}

/** The prompt count includes what caches served; a gateway may report more of that than there was prompt. */
function uncachedInput(usage: WireUsage, cached: number): number | undefined {
  const prompt = toCount(usage.prompt_tokens)
  return prompt === undefined ? toCount(usage.prompt_cache_miss_tokens) : Math.max(0, prompt - cached)
}

/** Reasoning is a part of the output everywhere but on the wires that say otherwise. */
function allOutput(usage: WireUsage, outputCount: OutputCount, reasoning = 0): number | undefined {
  const completion = toCount(usage.completion_tokens)
  if (outputCount === 'total-minus-prompt') {
    const total = toCount(usage.total_tokens)
    const prompt = toCount(usage.prompt_tokens)
    if (total !== undefined && prompt !== undefined && total >= prompt)
      return Math.max(total - prompt, completion ?? 0)
  }
  if (completion === undefined) return undefined
  // A part cannot exceed its whole: where it does, the server counts reasoning apart.
  const apart = outputCount === 'completion-plus-reasoning' || reasoning > completion
  return apart ? completion + reasoning : completion
}

interface UsageDetails {
  readonly cached_tokens?: unknown
  readonly cache_write_tokens?: unknown
  readonly cache_creation_input_tokens?: unknown
  readonly reasoning_tokens?: unknown
}

function detailsOf(value: unknown): UsageDetails {
  return isObject(value) ? value : {}
}

function firstCount(...values: readonly unknown[]): number | undefined {
  for (const value of values) {
    const count = toCount(value)
    if (count !== undefined) return count
  }
  return undefined
}

/** Anything but a whole number of at least 0 is unknown. */
function toCount(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : undefined
}

import type { TokenUsage } from 'dsh-llm'
import { getField, type Payload } from './payload.ts'
import type { PiMessage } from './pi-api.ts'
import type { UsageFields } from './protocol.ts'

/**
 * Disjoint counts, read from what the provider reported. Where that was not seen pi-ai's own are taken, which are
 * disjoint too but have a 0 for all that is unknown. Nothing at all where nothing is known.
 */
export function toTokenUsage(
  usage: PiMessage['usage'],
  raw: Payload | undefined,
  fields: UsageFields,
): TokenUsage | undefined {
  const counts = raw === undefined ? fromPi(usage) : fromWire(raw, fields)
  const known = Object.entries(counts).filter(([, count]) => count !== undefined)
  return known.length === 0 ? undefined : (Object.fromEntries(known) as TokenUsage)
}

function fromWire(raw: Payload, fields: UsageFields): TokenUsage {
  const cacheReadTokens = firstCount(raw, fields.cacheRead)
  const cacheWriteTokens = firstCount(raw, fields.cacheWrite)
  const input = sumOf(raw, fields.input)
  const cached = fields.inputHasCache ? (cacheReadTokens ?? 0) + (cacheWriteTokens ?? 0) : 0
  return {
    inputTokens: input === undefined ? undefined : Math.max(0, input - cached),
    outputTokens: sumOf(raw, fields.output),
    cacheReadTokens,
    cacheWriteTokens,
    reasoningTokens: firstCount(raw, fields.reasoning),
  }
}

function fromPi({ input, output, cacheRead, cacheWrite, reasoning }: PiMessage['usage']): TokenUsage {
  return {
    inputTokens: told(input),
    outputTokens: told(output),
    cacheReadTokens: told(cacheRead),
    cacheWriteTokens: told(cacheWrite),
    reasoningTokens: told(reasoning),
  }
}

function told(count: number | undefined): number | undefined {
  return count === 0 ? undefined : toCount(count)
}

function firstCount(raw: Payload, paths: readonly string[]): number | undefined {
  return paths.map((path) => toCount(getField(raw, path))).find((count) => count !== undefined)
}

/** Of counts that a provider keeps apart; unknown only if all of them are. */
function sumOf(raw: Payload, paths: readonly string[]): number | undefined {
  const counts = paths.map((path) => toCount(getField(raw, path))).filter((count) => count !== undefined)
  return counts.length === 0 ? undefined : counts.reduce((sum, count) => sum + count, 0)
}

/** Anything but a whole number of at least 0 is unknown. */
function toCount(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : undefined
}

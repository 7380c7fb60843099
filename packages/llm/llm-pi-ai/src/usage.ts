import type { TokenUsage } from 'dsh-llm'
import { getField, type Payload } from './payload.ts'
import type { PiMessage } from './pi-api.ts'
import type { UsageFields } from './protocol.ts'

type PiUsage = PiMessage['usage']

const piCounts = {
  inputTokens: 'input',
  outputTokens: 'output',
  cacheReadTokens: 'cacheRead',
  cacheWriteTokens: 'cacheWrite',
  reasoningTokens: 'reasoning',
} as const

/**
 * pi-ai's counts, which are disjoint as ours are. It writes 0 for what the provider did not tell, so a 0 counts only
 * if the raw usage has its field. Nothing at all where nothing is known.
 */
export function toTokenUsage(
  usage: PiUsage,
  raw: Payload | undefined,
  fields: UsageFields,
): TokenUsage | undefined {
  const known = Object.entries(piCounts).flatMap(([name, piName]) => {
    const count = toCount(usage[piName])
    const paths = fields[name as keyof UsageFields]
    const isTold = count !== 0 || paths.some((path) => getField(raw, path) !== undefined)
    return count === undefined || !isTold ? [] : [[name, count] as const]
  })
  return known.length === 0 ? undefined : (Object.fromEntries(known) as TokenUsage)
}

/** A provider may report more cached input than there was input; then there is none left. */
function toCount(value: number | undefined): number | undefined {
  return value === undefined || !Number.isSafeInteger(value) ? undefined : Math.max(0, value)
}

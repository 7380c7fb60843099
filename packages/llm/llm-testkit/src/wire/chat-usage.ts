import type { ChatDialect } from './chat-dialect.ts'
import type { NeutralUsage } from './neutral-answer.ts'
import { sumAll, sumKnown, unlessUnknown } from './token-sums.ts'

/** Usage as a server would report it: totals include their parts, and what is unknown has no field. */
export function toWireUsage(
  usage: NeutralUsage,
  { cacheCounters, reasoningTokens: place }: Pick<ChatDialect, 'cacheCounters' | 'reasoningTokens'>,
): Record<string, unknown> {
  const { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens, reasoningTokens } = usage
  const prompt = sumKnown([inputTokens, cacheReadTokens, cacheWriteTokens])
  const apart = place === 'in-completion' ? 0 : (reasoningTokens ?? 0)
  const deepseekCounters = {
    prompt_cache_hit_tokens: cacheReadTokens,
    prompt_cache_miss_tokens: inputTokens,
  }
  return {
    prompt_tokens: prompt,
    completion_tokens: outputTokens === undefined ? undefined : outputTokens - apart,
    total_tokens: sumAll([prompt, outputTokens]),
    prompt_tokens_details: unlessUnknown({
      cached_tokens: cacheReadTokens,
      cache_write_tokens: cacheWriteTokens,
    }),
    completion_tokens_details: unlessUnknown({
      reasoning_tokens: place === 'total-only' ? undefined : reasoningTokens,
    }),
    ...(cacheCounters === 'hit-and-miss' && deepseekCounters),
  }
}

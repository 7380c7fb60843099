import type { PartGroup } from './gemini-parts.ts'
import type { NeutralUsage } from './neutral-answer.ts'
import { sumAll, sumKnown, type WireCounts } from './token-sums.ts'

/** How much of all thoughts, and of everything else, has come: from 0 to 1. */
interface Progress {
  readonly thoughts: number
  readonly candidates: number
}

/**
 * Usage as each chunk tells it: cumulative, growing evenly, whole on the last one. The prompt includes what the cache gave
 * and took, candidates are without thoughts, and a counter is absent until its first chunk.
 */
export function toChunkUsage(usage: NeutralUsage, groups: readonly PartGroup[]): readonly WireCounts[] {
  return groups.map((_, at) => toCounts(usage, progressAt(groups, at)))
}

function progressAt(groups: readonly PartGroup[], at: number): Progress {
  if (at === groups.length - 1) return { thoughts: 1, candidates: 1 }
  const thoughts = groups.filter(({ isThought }) => isThought).length
  const seen = groups.slice(0, at + 1).filter(({ isThought }) => isThought).length
  return { thoughts: share(seen, thoughts), candidates: share(at + 1 - seen, groups.length - thoughts) }
}

function share(seen: number, all: number): number {
  return all === 0 ? 0 : seen / all
}

function toCounts(usage: NeutralUsage, progress: Progress): WireCounts {
  const { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens, reasoningTokens } = usage
  const prompt = sumKnown([inputTokens, cacheReadTokens, cacheWriteTokens])
  const spoken = outputTokens === undefined ? undefined : outputTokens - (reasoningTokens ?? 0)
  const candidates = soFar(spoken, progress.candidates)
  const thoughts = soFar(reasoningTokens, progress.thoughts)
  const output = outputTokens === undefined ? undefined : sumKnown([candidates, thoughts, 0])
  return {
    promptTokenCount: prompt,
    cachedContentTokenCount: cacheReadTokens,
    candidatesTokenCount: candidates,
    thoughtsTokenCount: thoughts,
    totalTokenCount: sumAll([prompt, output]),
  }
}

function soFar(count: number | undefined, progress: number): number | undefined {
  return count === undefined || progress === 0 ? undefined : Math.floor(count * progress)
}

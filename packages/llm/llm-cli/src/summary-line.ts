import type { TokenUsage } from 'dsh-llm'
import type { TurnReport } from './turn-report.ts'

/** The last line of a turn: `stop · 2 calls · 1,204 tokens in (448 cached) · …`; what is unknown is left out. */
export function toSummaryLine({ finish, calls, usage, firstContentMs }: TurnReport): string {
  // The code alone: the message goes to standard error, with advice.
  const facts = [
    finish.kind === 'error' ? `error ${finish.failure?.code}` : finish.kind,
    calls > 1 ? `${calls} calls` : '',
    ...toTokens(usage),
    firstContentMs === undefined ? '' : `first content after ${formatSeconds(firstContentMs)}`,
  ]
  return facts.filter((fact) => fact !== '').join(' · ')
}

/** `340 ms` as `0.34 s`, and `12,345 ms` as `12.3 s`. */
export function formatSeconds(milliseconds: number): string {
  const seconds = milliseconds / 1_000
  return `${Number(seconds.toFixed(seconds < 10 ? 2 : 1))} s`
}

/** Input is shown whole, as people think of it: the counts of the vocabulary are disjoint. */
function toTokens(usage: TokenUsage): string[] {
  const { inputTokens, cacheReadTokens, cacheWriteTokens, outputTokens, reasoningTokens } = usage
  const hasInput = inputTokens !== undefined || cacheReadTokens !== undefined
  const input = (inputTokens ?? 0) + (cacheReadTokens ?? 0) + (cacheWriteTokens ?? 0)
  return [
    hasInput ? `${format(input)} tokens in${part(cacheReadTokens, 'cached')}` : '',
    outputTokens === undefined ? '' : `${format(outputTokens)} out${part(reasoningTokens, 'reasoning')}`,
  ]
}

function part(count: number | undefined, name: string): string {
  return count === undefined ? '' : ` (${format(count)} ${name})`
}

/** Not in the language of the machine: the same line everywhere, so it can be quoted and compared. */
function format(count: number): string {
  return count.toLocaleString('en-US')
}

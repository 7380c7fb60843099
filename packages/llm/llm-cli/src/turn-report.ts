import type { CollectedAnswer, FinishOutcome, StreamChunk, TokenUsage } from 'dsh-llm'

/** What a turn came to, over all its calls to the model. */
export interface TurnReport {
  /** Of the last call. */
  readonly finish: FinishOutcome
  readonly calls: number
  /** Sums of what was reported; absent where nothing was. Void attempts are billed too, so they count. */
  readonly usage: TokenUsage
  /** From the start of the turn to the first reasoning, text or tool call; absent if none came. */
  readonly firstContentMs?: number | undefined
}

/** Measures one turn. */
export class TurnMeter {
  readonly #now: () => number
  readonly #startedAt: number
  #firstContentMs: number | undefined
  #usage: TokenUsage = {}
  #calls = 0

  constructor(now: () => number) {
    this.#now = now
    this.#startedAt = now()
  }

  chunk(chunk: StreamChunk): void {
    if (this.#firstContentMs === undefined && isContent(chunk))
      this.#firstContentMs = this.#now() - this.#startedAt
  }

  answer({ usage, attempts }: CollectedAnswer): void {
    this.#calls += 1
    for (const attempt of attempts) this.#usage = addUsage(this.#usage, attempt.usage)
    this.#usage = addUsage(this.#usage, usage)
  }

  report(finish: FinishOutcome): TurnReport {
    return { finish, calls: this.#calls, usage: this.#usage, firstContentMs: this.#firstContentMs }
  }
}

/** An empty delta shows nothing, so it is not what the user waits for. */
function isContent(chunk: StreamChunk): boolean {
  if (chunk.type === 'tool-call-delta') return true
  return (chunk.type === 'text-delta' || chunk.type === 'reasoning-delta') && chunk.text !== ''
}

function addUsage(total: TokenUsage, usage: TokenUsage = {}): TokenUsage {
  return {
    inputTokens: add(total.inputTokens, usage.inputTokens),
    outputTokens: add(total.outputTokens, usage.outputTokens),
    cacheReadTokens: add(total.cacheReadTokens, usage.cacheReadTokens),
    cacheWriteTokens: add(total.cacheWriteTokens, usage.cacheWriteTokens),
    reasoningTokens: add(total.reasoningTokens, usage.reasoningTokens),
  }
}

/** Unknown stays unknown; one unknown part does not make the known ones vanish. */
function add(left: number | undefined, right: number | undefined): number | undefined {
  return left === undefined ? right : left + (right ?? 0)
}

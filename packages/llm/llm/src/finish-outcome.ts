import type { FinishChunk, FinishReason, LlmFailure, ReplayEnvelope, ResponseInfo } from './types.ts'

/** How a stream ended: its `finish` chunk, with the reason's kind and failure at hand. */
export class FinishOutcome implements FinishChunk {
  readonly type = 'finish'
  readonly reason: FinishReason
  declare readonly replayState?: ReplayEnvelope | undefined
  declare readonly response?: ResponseInfo | undefined

  constructor(chunk: FinishChunk) {
    this.reason = chunk.reason
    if (chunk.replayState !== undefined) this.replayState = chunk.replayState
    if (chunk.response !== undefined) this.response = chunk.response
    Object.freeze(this)
  }

  get kind(): FinishReason['kind'] {
    return this.reason.kind
  }

  /** Present on `error` and `aborted` only. */
  get failure(): LlmFailure | undefined {
    return 'failure' in this.reason ? this.reason.failure : undefined
  }

  /** Whether the model ended its answer by itself or at the token cap, so that there is a message to keep. */
  get isAnswer(): boolean {
    return this.kind === 'stop' || this.kind === 'tool-calls' || this.kind === 'max-tokens'
  }
}

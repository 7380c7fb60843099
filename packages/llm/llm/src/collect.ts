import { BlockAssembler, type VoidAttempt } from './assembler.ts'
import type { ContentBlock } from './content.ts'
import { createFailure } from './failure-facts.ts'
import { FinishOutcome } from './finish-outcome.ts'
import { present } from './present.ts'
import type { Message, StreamChunk, TokenUsage } from './types.ts'

/** A whole answer. */
export interface CollectedAnswer {
  /** Present only when the model answered: `stop`, `tool-calls` or `max-tokens`. */
  readonly message?: Message | undefined
  /** All text of the last attempt, without reasoning. */
  readonly text: string
  /** Non-blank text and reasoning of the last attempt, for answers that were cut. */
  readonly partial: readonly ContentBlock[]
  /** A stream that ends without one counts as `error` with `STREAM_CLOSED`. */
  readonly finish: FinishOutcome
  readonly usage?: TokenUsage | undefined
  readonly attempts: readonly VoidAttempt[]
}

/**
 * Reads a stream to its end. `onChunk` sees each chunk after it was counted; what it throws leaves the stream, as does
 * a stream that throws.
 */
export async function collect(
  stream: AsyncIterable<StreamChunk>,
  onChunk?: (chunk: StreamChunk) => void,
): Promise<CollectedAnswer> {
  const assembler = new BlockAssembler()
  for await (const chunk of stream) {
    assembler.push(chunk)
    onChunk?.(chunk)
  }
  return toAnswer(assembler)
}

function toAnswer(assembler: BlockAssembler): CollectedAnswer {
  const finish = assembler.finish ?? unfinished()
  return present({
    message: finish.isAnswer ? assembler.message() : undefined,
    text: toText(assembler.blocks()),
    partial: assembler.interruptedBlocks(),
    finish,
    usage: assembler.usage,
    attempts: assembler.attempts,
  })
}

function unfinished(): FinishOutcome {
  const failure = createFailure('The stream ended without a finish', 'STREAM_CLOSED')
  return new FinishOutcome({ type: 'finish', reason: { kind: 'error', failure } })
}

function toText(blocks: readonly ContentBlock[]): string {
  return blocks.map((block) => (block.type === 'text' ? block.text : '')).join('')
}

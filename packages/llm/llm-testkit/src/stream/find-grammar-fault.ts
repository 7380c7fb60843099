import type { FinishReason, StreamChunk, TokenUsage } from 'dsh-llm'
import { quote } from './describe-chunk.ts'
import { type BrokenRule, broken, GrammarBlocks } from './grammar-blocks.ts'

/** Where a stream breaks which rule of `docs/stream-protocol.md`. */
export interface GrammarFault extends BrokenRule {
  /** Position of the offending chunk; the number of chunks if something is missing at the end. */
  readonly index: number
}

export interface GrammarOptions {
  /** An `adapter` may not emit `attempt` (R10); what a consumer reads is a `stream`, the default. */
  readonly from?: 'adapter' | 'stream' | undefined
}

/**
 * The first fault of a whole stream, or nothing. Compares texts where the runtime compares lengths, and shares no code
 * with it, so that one checks the other.
 */
export function findGrammarFault(
  chunks: readonly StreamChunk[],
  { from = 'stream' }: GrammarOptions = {},
): GrammarFault | undefined {
  const reader = new GrammarReader(from === 'stream')
  for (const [index, chunk] of chunks.entries()) {
    const fault = reader.read(chunk)
    if (fault !== undefined) return { index, ...fault }
  }
  if (reader.isFinished) return undefined
  return { index: chunks.length, ...broken('R1', 'the stream ended without a finish') }
}

class GrammarReader {
  isFinished = false
  private blocks = new GrammarBlocks()
  private attempts = 1
  private readonly takesAttempts: boolean

  constructor(takesAttempts: boolean) {
    this.takesAttempts = takesAttempts
  }

  read(chunk: StreamChunk): BrokenRule | undefined {
    if (typeof chunk !== 'object' || chunk === null) return broken('R1', 'it is no chunk')
    if (!this.isFinished) return this.judge(chunk)
    return broken(chunk.type === 'usage' ? 'R6' : 'R1', `${chunk.type} came after the finish`)
  }

  private judge(chunk: StreamChunk): BrokenRule | undefined {
    switch (chunk.type) {
      case 'block-start':
        return this.blocks.start(chunk)
      case 'text-delta':
      case 'reasoning-delta':
      case 'tool-call-delta':
        return this.blocks.delta(chunk)
      case 'block-end':
        return this.blocks.end(chunk.index, chunk.block)
      case 'usage':
        return judgeUsage(chunk.usage)
      case 'attempt':
        return this.startAttempt(chunk.attempt)
      case 'finish':
        this.isFinished = true
        return judgeFinish(chunk.reason, this.blocks)
      default:
        return unknownChunk(chunk)
    }
  }

  private startAttempt(attempt: number): BrokenRule | undefined {
    if (!this.takesAttempts) return broken('R10', 'an adapter emitted an attempt')
    this.attempts += 1
    this.blocks = new GrammarBlocks()
    if (attempt === this.attempts) return undefined
    return broken('R10', `attempt ${attempt} came where ${this.attempts} is next`)
  }
}

/** The union is closed for the compiler, but what runs may be anything. */
function unknownChunk(chunk: never): BrokenRule {
  return broken('R1', `a chunk has the unknown type ${quote(Reflect.get(chunk, 'type'))}`)
}

function judgeUsage(usage: TokenUsage): BrokenRule | undefined {
  if (typeof usage !== 'object' || usage === null) return broken('R6', `the usage is ${quote(usage)}`)
  for (const [name, count] of Object.entries(usage)) {
    if (count === undefined || (Number.isSafeInteger(count) && count >= 0)) continue
    return broken('R6', `${name} is ${quote(count)}`)
  }
  const { reasoningTokens = 0, outputTokens } = usage
  if (outputTokens === undefined || reasoningTokens <= outputTokens) return undefined
  return broken('R6', `${reasoningTokens} reasoning tokens cannot be a part of ${outputTokens} output tokens`)
}

function judgeFinish(reason: FinishReason, blocks: GrammarBlocks): BrokenRule | undefined {
  switch (reason?.kind) {
    case 'stop':
    case 'tool-calls':
      return judgeNormalEnd(reason.kind, blocks)
    case 'max-tokens': {
      const prose = blocks.open.find((type) => type !== 'tool-call')
      return prose === undefined ? undefined : broken('R7', `max-tokens left a block of ${prose} open`)
    }
    case 'error':
    case 'aborted':
      if (typeof reason.failure?.code === 'string' && typeof reason.failure.message === 'string')
        return undefined
      return broken('R1', `the finish with ${reason.kind} has no failure with code and message`)
    default:
      return broken('R1', 'the finish has no reason')
  }
}

function judgeNormalEnd(kind: 'stop' | 'tool-calls', blocks: GrammarBlocks): BrokenRule | undefined {
  const { open, completeCalls, hasContent } = blocks
  if (open.length > 0) return broken('R7', `${kind} left ${open.join(', ')} open`)
  if (kind === 'stop' && completeCalls > 0) return broken('R8', 'stop came although a call is complete')
  if (kind === 'tool-calls' && completeCalls === 0)
    return broken('R8', 'tool-calls came without a complete call')
  return hasContent ? undefined : broken('R9', 'stop came without any content')
}

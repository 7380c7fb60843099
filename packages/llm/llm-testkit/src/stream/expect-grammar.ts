import type { StreamChunk } from 'dsh-llm'
import { describeChunk } from './describe-chunk.ts'
import { findGrammarFault, type GrammarFault, type GrammarOptions } from './find-grammar-fault.ts'
import { grammarFixes } from './grammar-rules.ts'

const shownBefore = 4

/** Thrown by `expectGrammar`: which chunk breaks which rule, the chunks that led to it, and what to do about it. */
export class GrammarError extends Error {
  override readonly name = 'GrammarError'
  readonly rule: string
  /** Position of the offending chunk; the number of chunks if something is missing at the end. */
  readonly index: number
  readonly fix: string

  constructor(fault: GrammarFault, chunks: readonly StreamChunk[]) {
    const fix = fixFor(fault.rule)
    super(
      `Chunk ${fault.index} breaks ${fault.rule}: ${fault.message}\n${surroundings(chunks, fault.index)}\nTo fix: ${fix}`,
    )
    this.rule = fault.rule
    this.index = fault.index
    this.fix = fix
  }
}

/** Throws a `GrammarError` for the first chunk that breaks a rule of `docs/stream-protocol.md`. Compares whole texts. */
export function expectGrammar(chunks: readonly StreamChunk[], options: GrammarOptions = {}): void {
  if (!Array.isArray(chunks))
    throw new TypeError(
      'Could not check the grammar: the chunks are no list; await collectChunks(stream) first',
    )
  const fault = findGrammarFault(chunks, options)
  if (fault !== undefined) throw new GrammarError(fault, chunks)
}

/** What to do about a broken grammar rule. */
export function fixFor(rule: string): string {
  return grammarFixes[rule] ?? 'see docs/stream-protocol.md'
}

/** The offending chunk with the last ones before it. */
export function surroundings(chunks: readonly StreamChunk[], index: number): string {
  const from = Math.max(0, index - shownBefore)
  const lines = chunks.slice(from, index + 1).map((chunk, at) => {
    const position = from + at
    return `${position === index ? '>' : ' '} ${position} ${describeChunk(chunk)}`
  })
  if (index >= chunks.length) lines.push(`> ${chunks.length} (the end)`)
  return lines.join('\n')
}

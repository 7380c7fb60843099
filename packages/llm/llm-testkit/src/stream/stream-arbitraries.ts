import type { StreamChunk } from 'dsh-llm'
import * as fc from 'fast-check'
import { toChunks } from '../scripted/answer-chunks.ts'
import type { NeutralAnswer } from '../wire/neutral-answer.ts'
import { type IllegalStream, streamMutations } from './stream-mutations.ts'

/** Generators of what an adapter may and may not say. */
export interface StreamArbitraries {
  /** What a model says, without a wire; also answers that were cut, that failed, and that say nothing. */
  readonly answer: fc.Arbitrary<NeutralAnswer>
  /** Whole streams in the grammar of `docs/stream-protocol.md`, without `attempt`. */
  readonly legal: fc.Arbitrary<readonly StreamChunk[]>
  /** Streams with one fault, and the rule it breaks. */
  readonly illegal: fc.Arbitrary<IllegalStream>
}

/** Generators for properties about streams. Texts hold any characters, lone surrogates and empty pieces excepted. */
export function streamArbitraries(): StreamArbitraries {
  const answer = answers()
  const legal = answer.map(toChunks)
  const illegal = fc.tuple(legal, fc.nat()).map(([chunks, choice]) => toIllegal(chunks, choice))
  return { answer, legal, illegal }
}

function answers(): fc.Arbitrary<NeutralAnswer> {
  const piece = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 })
  const prose = fc.option(fc.array(piece, { minLength: 1, maxLength: 4 }), { nil: undefined })
  const call = fc.record({ name: fc.constantFrom('look', 'find'), arguments: callArguments() })
  const count = fc.nat(100_000)
  const usage = fc.record(
    { inputTokens: count, cacheReadTokens: count, outputTokens: count },
    { requiredKeys: [] },
  )
  return fc.record(
    {
      reasoning: prose,
      text: prose,
      calls: fc.array(call, { maxLength: 3 }),
      usage,
      finish: fc.constantFrom('max-tokens', 'content-filter'),
    },
    { requiredKeys: [] },
  )
}

/** One complete JSON object in pieces, or nothing at all. */
function callArguments(): fc.Arbitrary<readonly string[]> {
  const json = fc.dictionary(fc.string({ maxLength: 5 }), fc.jsonValue({ maxDepth: 1 }), { maxKeys: 3 })
  return fc.tuple(json, fc.nat(20)).map(([value, cut]) => {
    const text = JSON.stringify(value)
    return [text.slice(0, cut), text.slice(cut)].filter((part) => part !== '')
  })
}

/** Mutations are tried in turn from the chosen one on; the first fits every stream. */
function toIllegal(chunks: readonly StreamChunk[], choice: number): IllegalStream {
  for (let turn = 0; turn < streamMutations.length; turn += 1) {
    const illegal = streamMutations[(choice + turn) % streamMutations.length]?.(chunks)
    if (illegal !== undefined) return illegal
  }
  throw new Error('No mutation fits the stream; the first one always does')
}

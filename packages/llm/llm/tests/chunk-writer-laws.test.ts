import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { BlockAssembler, ChunkWriter, createFailure, isLlmError, type StreamChunk } from '../src/index.ts'
import { Grammar } from '../src/grammar.ts'
import { streamFaults } from './support/stream-faults.ts'

type Command = (writer: ChunkWriter) => StreamChunk[]

describe('ChunkWriter', () => {
  it('writes only streams that keep the grammar, whatever it is told', () => {
    fc.assert(
      fc.property(fc.array(commands(), { maxLength: 25 }), ends(), (told, end) => {
        const chunks = run(told, end)
        expect(streamFaults(chunks)).toEqual([])
      }),
      { numRuns: 1000 },
    )
  })

  it('writes only streams that the boundary lets pass', () => {
    fc.assert(
      fc.property(fc.array(commands(), { maxLength: 25 }), ends(), (told, end) => {
        const grammar = new Grammar()
        expect(
          run(told, end)
            .map((chunk) => grammar.check(chunk))
            .filter((fault) => fault !== undefined),
        ).toEqual([])
      }),
      { numRuns: 500 },
    )
  })

  it('loses no text, however it is cut', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', minLength: 1 }), fc.array(fc.nat(40)), (text, cuts) => {
        const writer = new ChunkWriter()
        const assembler = new BlockAssembler()
        const places = [0, ...cuts.filter((cut) => cut < text.length).sort((a, b) => a - b), text.length]
        const pieces = places.slice(1).map((end, at) => text.slice(places[at], end))
        for (const chunk of [...pieces.flatMap((piece) => writer.text(piece)), ...writer.finish('stop')])
          assembler.push(chunk)
        expect(assembler.blocks()).toEqual([{ type: 'text', text }])
      }),
    )
  })
})

function run(told: readonly Command[], end: Command): readonly StreamChunk[] {
  let minted = 0
  const writer = new ChunkWriter({ mintId: () => `minted-${(minted += 1)}` })
  const chunks: StreamChunk[] = []
  try {
    for (const command of told) chunks.push(...command(writer))
  } catch (error) {
    if (!isLlmError(error)) throw error
    return [...chunks, ...writer.finish({ kind: 'error', failure: error.failure })]
  }
  chunks.push(...end(writer))
  // Whatever comes after the end is discarded.
  for (const command of told) chunks.push(...command(writer))
  return chunks
}

function commands(): fc.Arbitrary<Command> {
  const words = fc.constantFrom('', 'a', 'bc', ' ', '\uD83D', '\uDE00', 'x\uD83D')
  const json = fc.constantFrom('', '{', '}', '{}', '"a"', '"', ':', ' ', '\uD83D', '\uDE00', '1')
  const key = fc.constantFrom('k', 0, 1)
  const piece = fc.record(
    { id: fc.constantFrom('', 'c1', 'c2'), name: fc.constantFrom('', 'look', 'list'), arguments: json },
    { requiredKeys: [] },
  )
  return fc.oneof(
    words.map(
      (text): Command =>
        (writer) =>
          writer.text(text),
    ),
    words.map(
      (text): Command =>
        (writer) =>
          writer.reasoning(text),
    ),
    {
      weight: 3,
      arbitrary: fc.tuple(key, piece).map(
        ([at, told]): Command =>
          (writer) =>
            writer.toolCall(at, told),
      ),
    },
    key.map(
      (at): Command =>
        (writer) =>
          writer.endToolCall(at),
    ),
    fc.constant<Command>((writer) => writer.usage({ outputTokens: 1 })),
  )
}

function ends(): fc.Arbitrary<Command> {
  const failure = createFailure('cut', 'STREAM_CLOSED')
  return fc.constantFrom<Command>(
    (writer) => writer.finish('stop'),
    (writer) => writer.finish('tool-calls'),
    (writer) => writer.finish('max-tokens'),
    (writer) => writer.finish({ kind: 'error', failure }),
    (writer) => writer.finish({ kind: 'aborted', failure }),
  )
}

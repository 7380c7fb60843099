import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { BlockAssembler, CallId, type ContentBlock, type StreamChunk } from '../src/index.ts'
import { Grammar } from '../src/grammar.ts'
import { attempt, finish } from './support/chunks.ts'

const words = fc.string({ unit: 'binary', minLength: 1, maxLength: 12 })

const block = fc.oneof(
  words.map((text): ContentBlock => ({ type: 'text', text })),
  words.map((text): ContentBlock => ({ type: 'reasoning', text })),
  words.map((args): ContentBlock => ({
    type: 'tool-call',
    id: CallId(`id-${args.length}`),
    name: 'look',
    arguments: args,
  })),
)

const textOf = (given: ContentBlock): string =>
  given.type === 'tool-call'
    ? given.arguments
    : given.type === 'text' || given.type === 'reasoning'
      ? given.text
      : ''

/** The chunks of one block, its text cut into pieces of some lengths. */
function chunksOf(index: number, given: ContentBlock, cuts: readonly number[]): StreamChunk[] {
  const pieces: string[] = []
  let rest = textOf(given)
  for (const cut of cuts) {
    pieces.push(rest.slice(0, cut))
    rest = rest.slice(cut)
  }
  pieces.push(rest)
  const deltas = pieces.map((piece, at): StreamChunk => {
    if (given.type !== 'tool-call')
      return { type: given.type === 'text' ? 'text-delta' : 'reasoning-delta', index, text: piece }
    return {
      type: 'tool-call-delta',
      index,
      id: given.id,
      ...(at === 0 ? { name: given.name } : undefined),
      argumentsDelta: piece,
    }
  })
  return [
    { type: 'block-start', index, blockType: given.type },
    ...deltas,
    { type: 'block-end', index, block: given },
  ]
}

/** Some legal order of the chunks of all blocks: each block's own order is kept, and blocks open by index. */
function interleave(lists: readonly StreamChunk[][], choices: readonly number[]): StreamChunk[] {
  const queues = lists.map((list) => [...list])
  const merged: StreamChunk[] = []
  let opened = 0
  for (let turn = 0; queues.some((queue) => queue.length > 0); turn += 1) {
    const ready = queues.filter((queue, index) => queue.length > 0 && index <= opened)
    const queue = ready[(choices[turn % choices.length] ?? 0) % ready.length]
    const chunk = queue?.shift()
    if (chunk === undefined) continue
    if (chunk.type === 'block-start') opened += 1
    merged.push(chunk)
  }
  return merged
}

function assemble(chunks: readonly StreamChunk[]): BlockAssembler {
  const assembler = new BlockAssembler()
  for (const chunk of chunks) assembler.push(chunk)
  return assembler
}

const index = fc.oneof(fc.nat(3), fc.integer(), fc.double())
const odd = fc.oneof(words, fc.constant(''))

/** Any chunk at all, however little sense it makes where it stands. */
const anyChunk: fc.Arbitrary<StreamChunk> = fc.oneof(
  fc.record({
    type: fc.constant('block-start' as const),
    index,
    blockType: fc.constantFrom('text', 'reasoning', 'tool-call', 'tool-result'),
  }),
  fc.record({ type: fc.constantFrom('text-delta' as const, 'reasoning-delta' as const), index, text: odd }),
  fc.record({
    type: fc.constant('tool-call-delta' as const),
    index,
    id: odd.map((id) => id as CallId),
    name: fc.option(odd, { nil: undefined }),
    argumentsDelta: odd,
  }),
  fc.record({ type: fc.constant('block-end' as const), index, block }),
  fc.record({ type: fc.constant('usage' as const), usage: fc.record({ outputTokens: fc.nat() }) }),
  fc.constant(attempt(2)),
  fc.constantFrom(
    finish('stop'),
    finish('tool-calls'),
    finish('max-tokens', {
      response: { provider: 'p', model: 'm' },
      replayState: { response: 1, blocks: [1] },
    }),
  ),
)

describe('BlockAssembler, for any input', () => {
  it('assembles any legal interleaving to the same blocks, however it is chunked', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(block, fc.array(fc.nat(4), { maxLength: 4 })), { minLength: 1, maxLength: 5 }),
        fc.array(fc.nat(4), { minLength: 1, maxLength: 20 }),
        (given, choices) => {
          const chunks = interleave(
            given.map(([content, cuts], at) => chunksOf(at, content, cuts)),
            choices,
          )
          const grammar = new Grammar()
          for (const chunk of chunks) expect(grammar.check(chunk)).toBeUndefined()
          expect(assemble(chunks).blocks()).toEqual(given.map(([content]) => content))
          // Without the authoritative ends, the deltas alone come to the same.
          const open = assemble(chunks.filter((chunk) => chunk.type !== 'block-end'))
          expect(open.blocks()).toEqual(given.map(([content]) => content))
        },
      ),
    )
  })

  it('is crashed by no sequence of chunks, legal or not', () => {
    fc.assert(
      fc.property(fc.array(anyChunk, { maxLength: 20 }), (chunks) => {
        const assembler = new BlockAssembler()
        for (const chunk of chunks) {
          assembler.push(chunk)
          assembler.interruptedBlocks()
          expect(assembler.message().content.length).toBeLessThanOrEqual(assembler.blocks().length)
        }
        const last = chunks.findIndex(({ type }) => type === 'finish')
        expect(assembler.finish === undefined).toBe(last < 0)
        const envelope = assembler.replayState?.blocks
        if (envelope !== undefined) expect(envelope.length).toBe(assembler.blocks().length)
      }),
      { numRuns: 500 },
    )
  })

  it('never runs a call that was not closed', () => {
    fc.assert(
      fc.property(fc.array(anyChunk, { maxLength: 20 }), (chunks) => {
        const closed = new Set(chunks.flatMap((chunk) => (chunk.type === 'block-end' ? [chunk.block] : [])))
        const runnable = assemble(chunks)
          .message()
          .content.filter(({ type }) => type === 'tool-call')
        for (const call of runnable) expect([...closed]).toContainEqual(call)
      }),
    )
  })

  it('takes a megabyte of arguments in 20,000 pieces, asked for its blocks after each thousandth', () => {
    const piece = 'x'.repeat(50)
    const assembler = new BlockAssembler()
    for (let at = 0; at < 20_000; at += 1) {
      assembler.push({
        type: 'tool-call-delta',
        index: 0,
        id: CallId('c'),
        ...(at === 0 ? { name: 'look' } : undefined),
        argumentsDelta: piece,
      })
      if (at % 1_000 === 0) expect(assembler.blocks().length).toBe(1)
    }
    expect(assembler.blocks()[0]).toMatchObject({ arguments: piece.repeat(20_000) })
  })
})

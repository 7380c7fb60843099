import { createLlm, createUserMessage, type FinishReason, type StreamChunk } from 'dsh-llm'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { streamArbitraries } from '../../src/fast-check.ts'
import { expectGrammar, GrammarError, ScriptedAdapter } from '../../src/index.ts'
import { streamMutations } from '../../src/stream/stream-mutations.ts'

const { answer, legal, illegal } = streamArbitraries()

function brokenRule(chunks: readonly StreamChunk[]): string | undefined {
  try {
    expectGrammar(chunks, { from: 'adapter' })
    return undefined
  } catch (error) {
    return error instanceof GrammarError ? error.rule : String(error)
  }
}

function indexOf(chunks: readonly StreamChunk[]): number | undefined {
  try {
    expectGrammar(chunks, { from: 'adapter' })
    return undefined
  } catch (error) {
    return error instanceof GrammarError ? error.index : undefined
  }
}

async function finishOf(chunks: readonly StreamChunk[]): Promise<FinishReason | undefined> {
  await using app = await createLlm()
  app.ctx.llm.registerAdapter(['p'], new ScriptedAdapter([chunks]))
  const { finish } = await app.llm.generate({ provider: 'p', model: 'm', messages: [createUserMessage('Hi')] })
  return finish.reason
}

describe('streamArbitraries', () => {
  it('legal streams keep the grammar', () => {
    fc.assert(fc.property(legal, (chunks) => brokenRule(chunks) === undefined))
  })

  it('illegal streams break the rule they name', () => {
    fc.assert(fc.property(illegal, ({ chunks, rule }) => brokenRule(chunks) === rule))
  })

  it('faults are told at the chunk where they can first be seen', () => {
    const property = fc.property(legal, fc.constantFrom(...streamMutations), (chunks, mutate) => {
      const spoiled = mutate(chunks)
      fc.pre(spoiled !== undefined)
      const changed = spoiled.chunks.findIndex((chunk, at) => chunk !== chunks[at])
      const first = changed === -1 ? spoiled.chunks.length : changed
      // Only the finish shows that a block was left open; the second of two equal ends is the one too many.
      const seen = spoiled.rule === 'R7' ? spoiled.chunks.length - 1 : first
      expect(indexOf(spoiled.chunks)).toBe(seen)
    })
    fc.assert(property, { numRuns: 500 })
  })

  it('every mutation finds a stream to spoil', () => {
    const streams = fc.sample(legal, { numRuns: 200, seed: 1 })
    const idle = streamMutations.filter((mutate) => streams.every((chunks) => mutate(chunks) === undefined))
    expect(idle).toEqual([])
  })

  it('the runtime agrees about legal streams', async () => {
    const property = fc.asyncProperty(legal, async (chunks) => {
      const last = chunks.at(-1)
      expect(last?.type === 'finish' && last.reason).toEqual(await finishOf(chunks))
    })
    await fc.assert(property, { numRuns: 50 })
  })

  it('the runtime lets nothing illegal through as it came, surplus and sums of usage excepted', async () => {
    const property = fc.asyncProperty(illegal, async ({ chunks, rule }) => {
      fc.pre(rule !== 'R6' && chunks.filter(({ type }) => type === 'finish').length < 2)
      expect((await finishOf(chunks))?.kind).toBe('error')
    })
    await fc.assert(property, { numRuns: 50 })
  })

  it('answers can be scripted', () => {
    fc.assert(fc.property(answer, (given) => void new ScriptedAdapter([given])))
  })
})

import { CallId, type StreamChunk } from 'dsh-llm'
import { describe, expect, it } from 'vitest'
import { expectGrammar, GrammarError, type GrammarOptions, ScriptedAdapter } from '../../src/index.ts'

const id = CallId('c1')
const open = (index: number, blockType: 'text' | 'reasoning' | 'tool-call' = 'text'): StreamChunk => ({
  type: 'block-start',
  index,
  blockType,
})
const say = (index: number, text: string): StreamChunk => ({ type: 'text-delta', index, text })
const close = (index: number, text: string): StreamChunk => ({
  type: 'block-end',
  index,
  block: { type: 'text', text },
})
const piece = (index: number, argumentsDelta: string, name?: string, callId = id): StreamChunk => ({
  type: 'tool-call-delta',
  index,
  id: callId,
  name,
  argumentsDelta,
})
const closeCall = (index: number, text: string, name = 'look'): StreamChunk => ({
  type: 'block-end',
  index,
  block: { type: 'tool-call', id, name, arguments: text },
})
const finish = (kind: 'stop' | 'tool-calls' | 'max-tokens'): StreamChunk => ({
  type: 'finish',
  reason: { kind },
})
const failure = { code: 'SERVER', message: 'no' }
const failed: StreamChunk = { type: 'finish', reason: { kind: 'error', failure } }
const attempt = (number: number): StreamChunk => ({ type: 'attempt', attempt: number, failure, delayMs: 0 })
const odd = (chunk: unknown): StreamChunk => chunk as StreamChunk

function faultOf(chunks: readonly StreamChunk[], options?: GrammarOptions): GrammarError {
  try {
    expectGrammar(chunks, options)
  } catch (error) {
    if (error instanceof GrammarError) return error
    throw error
  }
  throw new Error('The stream was taken for legal')
}

const says = [open(0), say(0, 'Hello'), close(0, 'Hello')]

describe('expectGrammar', () => {
  it('explains the first fault: index, rule, last chunks and what to do', () => {
    const error = faultOf([open(0), say(0, 'Hel'), say(0, 'lo'), close(0, 'Helo'), finish('stop')])
    expect([error.rule, error.index]).toEqual(['R4', 3])
    expect(error.message).toBe(
      [
        'Chunk 3 breaks R4: block 0 closed with "Helo" after deltas of "Hello"',
        '  0 block-start 0 text',
        '  1 text-delta 0 "Hel"',
        '  2 text-delta 0 "lo"',
        '> 3 block-end 0 text "Helo"',
        `To fix: ${error.fix}`,
      ].join('\n'),
    )
  })

  it('points behind the last chunk when the finish is missing', () => {
    const error = faultOf(says)
    expect([error.rule, error.index]).toEqual(['R1', 3])
    expect(error.message).toContain('> 3 (the end)')
  })

  it.each<[string, readonly StreamChunk[]]>([
    ['text', [...says, finish('stop')]],
    [
      'interleaved calls',
      [
        open(0, 'tool-call'),
        piece(0, '{', 'look'),
        open(1, 'tool-call'),
        piece(1, '', 'look', CallId('c2')),
        piece(0, '}'),
        closeCall(0, '{}'),
        {
          type: 'block-end',
          index: 1,
          block: { type: 'tool-call', id: CallId('c2'), name: 'look', arguments: '' },
        },
        finish('tool-calls'),
      ],
    ],
    ['a cut call', [open(0, 'tool-call'), piece(0, '{"a', 'look'), finish('max-tokens')]],
    ['a cut without content', [finish('max-tokens')]],
    ['a failure in the middle', [open(0), say(0, 'Hel'), failed]],
    [
      'usage, repeated',
      [
        { type: 'usage', usage: { outputTokens: 1 } },
        ...says,
        { type: 'usage', usage: { outputTokens: 2, inputTokens: undefined } },
        finish('stop'),
      ],
    ],
    ['two attempts', [open(0), say(0, 'He'), attempt(2), ...says, finish('stop')]],
  ])('takes %s', (_, chunks) => {
    expect(() => expectGrammar(chunks)).not.toThrow()
  })

  it.each<[rule: string, fault: string, chunks: readonly StreamChunk[]]>([
    ['R1', 'two finishes', [...says, finish('stop'), finish('stop')]],
    ['R1', 'a chunk after the finish', [...says, finish('stop'), open(1)]],
    ['R1', 'an unknown chunk', [odd({ type: 'ping' })]],
    ['R1', 'no chunk at all', [odd(undefined)]],
    ['R1', 'a finish without a reason', [odd({ type: 'finish' })]],
    ['R1', 'an error without a failure', [odd({ type: 'finish', reason: { kind: 'error' } })]],
    ['R2', 'a gap in the indexes', [open(1)]],
    ['R2', 'an index used again', [...says, open(0)]],
    ['R3', 'a delta without a block', [say(0, 'x')]],
    ['R3', 'a delta after the end', [...says, say(0, 'x')]],
    ['R3', 'a delta of another type', [open(0, 'reasoning'), say(0, 'x')]],
    ['R3', 'a delta without text', [open(0), odd({ type: 'text-delta', index: 0 })]],
    ['R4', 'a text of the same length that differs', [open(0), say(0, 'Hello'), close(0, 'HELLO')]],
    ['R4', 'an end of another type', [open(0, 'reasoning'), close(0, '')]],
    ['R4', 'an end without a beginning', [close(0, '')]],
    ['R4', 'text that is open where a call begins', [open(0), say(0, 'x'), open(1, 'tool-call')]],
    ['R4', 'arguments that differ', [open(0, 'tool-call'), piece(0, '{}', 'look'), closeCall(0, '{ }')]],
    [
      'R4',
      'a name that differs at the end',
      [open(0, 'tool-call'), piece(0, '{}', 'look'), closeCall(0, '{}', 'x')],
    ],
    ['R5', 'a call without an id', [open(0, 'tool-call'), piece(0, '', 'look', CallId(''))]],
    ['R5', 'a call without a name', [open(0, 'tool-call'), piece(0, '')]],
    [
      'R5',
      'an id that changes',
      [open(0, 'tool-call'), piece(0, '', 'look'), piece(0, '', undefined, CallId('c2'))],
    ],
    ['R5', 'a name that changes', [open(0, 'tool-call'), piece(0, '', 'look'), piece(0, '', 'find')]],
    ['R5', 'a call closed before its first delta', [open(0, 'tool-call'), closeCall(0, '')]],
    ['R6', 'a negative count', [{ type: 'usage', usage: { inputTokens: -1 } }]],
    ['R6', 'a count that is no number', [{ type: 'usage', usage: { inputTokens: Number.NaN } }]],
    ['R6', 'no counts at all', [{ type: 'usage', usage: null as never }]],
    ['R6', 'more reasoning than output', [{ type: 'usage', usage: { outputTokens: 1, reasoningTokens: 2 } }]],
    ['R6', 'usage after the finish', [...says, finish('stop'), { type: 'usage', usage: {} }]],
    ['R7', 'a stop with an open block', [open(0), say(0, 'x'), finish('stop')]],
    ['R7', 'a cut with open text', [open(0), say(0, 'x'), finish('max-tokens')]],
    [
      'R8',
      'a stop with a complete call',
      [open(0, 'tool-call'), piece(0, '', 'look'), closeCall(0, ''), finish('stop')],
    ],
    ['R8', 'tool-calls without a call', [...says, finish('tool-calls')]],
    ['R9', 'a stop without content', [finish('stop')]],
    ['R9', 'a stop with an empty block', [open(0), close(0, ''), finish('stop')]],
    ['R10', 'a wrong number of an attempt', [attempt(3)]],
  ])('%s: refuses %s', (rule, _, chunks) => {
    expect(faultOf(chunks).rule).toBe(rule)
  })

  it('refuses an attempt of an adapter (R10)', () => {
    expect(faultOf([attempt(2), ...says, finish('stop')], { from: 'adapter' }).rule).toBe('R10')
  })

  it('says what to do with a stream that was not collected', () => {
    const stream = new ScriptedAdapter([]).stream({} as never) as never
    expect(() => expectGrammar(stream)).toThrow('await collectChunks(stream) first')
  })

  it('explains what JSON cannot hold', () => {
    const circle: Record<string, unknown> = { type: 'usage' }
    circle['usage'] = { inputTokens: 5n, circle }
    expect(faultOf([circle as never])).toMatchObject({ rule: 'R6', index: 0 })
  })
})

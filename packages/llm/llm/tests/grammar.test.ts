import { describe, expect, it } from 'vitest'
import { Grammar } from '../src/grammar.ts'
import type { StreamChunk } from '../src/index.ts'
import {
  attempt,
  calls,
  close,
  closeCall,
  delta,
  failed,
  finish,
  odd,
  open,
  piece,
  says,
  thought,
} from './support/chunks.ts'

const usage: StreamChunk = { type: 'usage', usage: { outputTokens: 1 } }

const legal: [what: string, chunks: readonly StreamChunk[]][] = [
  ['one text block', says('hello')],
  ['one call', calls()],
  ['a call of no arguments', calls('')],
  ['text that is not JSON in a call (R8)', calls('{"a')],
  [
    'reasoning, text and a call',
    [
      open(0, 'reasoning'),
      thought(0, 'hm'),
      close(0, 'hm', 'reasoning'),
      open(1),
      delta(1, 'a'),
      close(1, 'a'),
      open(2, 'tool-call'),
      piece(2, '{}', 'look'),
      closeCall(2, '{}'),
      finish('tool-calls'),
    ],
  ],
  [
    'interleaved blocks (R4)',
    [
      open(0, 'tool-call'),
      open(1, 'tool-call'),
      piece(1, '{', 'look'),
      piece(0, '{', 'look'),
      piece(1, '}'),
      piece(0, '}'),
      closeCall(1, '{}'),
      closeCall(0, '{}'),
      finish('tool-calls'),
    ],
  ],
  [
    'a name said again (R5)',
    [
      open(0, 'tool-call'),
      piece(0, '{', 'look'),
      piece(0, '}', 'look'),
      closeCall(0, '{}'),
      finish('tool-calls'),
    ],
  ],
  ['usage more than once (R6)', [usage, ...says('a').slice(0, 3), usage, finish('stop')]],
  ['max-tokens with an open call (R7)', [open(0, 'tool-call'), piece(0, '{', 'look'), finish('max-tokens')]],
  ['max-tokens with a complete call (R8)', [...calls().slice(0, 3), finish('max-tokens')]],
  ['max-tokens without a block (R9)', [finish('max-tokens')]],
  ['an error with open blocks (R7)', [open(0), open(1, 'tool-call'), failed('SERVER')]],
  ['an abort with open blocks (R7)', [open(0), failed('ABORTED', 'It failed', 'aborted')]],
  [
    'a block of a merged kind',
    [
      odd({ type: 'block-start', index: 0, blockType: 'image' }),
      odd({ type: 'block-end', index: 0, block: { type: 'image' } }),
      finish('stop'),
    ],
  ],
  [
    'a finish of a merged kind with an open block',
    [open(0), odd({ type: 'finish', reason: { kind: 'paused' } })],
  ],
  ['characters of two units (R4)', [open(0), delta(0, '😀'), close(0, '😀'), finish('stop')]],
]

/** One row for each way to break a rule. */
const broken: [rule: string, what: string, chunks: readonly StreamChunk[]][] = [
  ['R1', 'a chunk of no known type', [odd({ type: 'text' })]],
  ['R1', 'a finish without a reason', [odd({ type: 'finish' })]],
  ['R1', 'a finish whose reason has no kind', [odd({ type: 'finish', reason: {} })]],
  ['R1', 'an error without a failure', [odd({ type: 'finish', reason: { kind: 'error' } })]],
  [
    'R1',
    'an abort whose failure has no message',
    [odd({ type: 'finish', reason: { kind: 'aborted', failure: { code: 'ABORTED' } } })],
  ],
  ['R2', 'a block that does not begin at 0', [open(1)]],
  ['R2', 'a gap', [open(0), open(2)]],
  ['R2', 'an index used twice', [open(0), open(0)]],
  ['R2', 'an index used again after its close', [open(0), close(0, ''), open(0)]],
  ['R2', 'half an index', [open(0.5)]],
  ['R2', 'no index', [odd({ type: 'block-start', blockType: 'text' })]],
  ['R3', 'a block without a type', [odd({ type: 'block-start', index: 0 })]],
  ['R3', 'a delta of a block never opened', [delta(0, 'a')]],
  ['R3', 'a delta of a closed block', [open(0), close(0, ''), delta(0, 'a')]],
  ['R3', 'text in reasoning', [open(0, 'reasoning'), delta(0, 'a')]],
  ['R3', 'reasoning in text', [open(0), thought(0, 'a')]],
  ['R3', 'arguments in text', [open(0), piece(0, '{}', 'look')]],
  ['R3', 'text in a call', [open(0, 'tool-call'), delta(0, 'a')]],
  ['R3', 'a delta without text', [open(0), odd({ type: 'text-delta', index: 0 })]],
  [
    'R3',
    'arguments that are an object (R11)',
    [
      open(0, 'tool-call'),
      odd({ type: 'tool-call-delta', index: 0, id: 'c', name: 'look', argumentsDelta: {} }),
    ],
  ],
  ['R4', 'a close of a block never opened', [close(0, '')]],
  ['R4', 'a second close', [open(0), close(0, ''), close(0, '')]],
  ['R4', 'a close of another type', [open(0), close(0, '', 'reasoning')]],
  ['R4', 'a close without a block', [open(0), odd({ type: 'block-end', index: 0 })]],
  ['R4', 'a close without text', [open(0), odd({ type: 'block-end', index: 0, block: { type: 'text' } })]],
  ['R4', 'a close longer than the deltas', [open(0), delta(0, 'a'), close(0, 'ab')]],
  ['R4', 'a close shorter than the deltas', [open(0), delta(0, 'ab'), close(0, 'b')]],
  [
    'R4',
    'a call whose arguments are longer',
    [open(0, 'tool-call'), piece(0, '{', 'look'), closeCall(0, '{}')],
  ],
  [
    'R4',
    'a call closed without a name',
    [
      open(0, 'tool-call'),
      piece(0, '', 'look'),
      odd({ type: 'block-end', index: 0, block: { type: 'tool-call', id: 'call-0', arguments: '' } }),
    ],
  ],
  ['R5', 'a call with an empty id', [open(0, 'tool-call'), piece(0, '', 'look', '')]],
  [
    'R5',
    'a call without an id',
    [open(0, 'tool-call'), odd({ type: 'tool-call-delta', index: 0, name: 'look', argumentsDelta: '' })],
  ],
  ['R5', 'a first delta without a name', [open(0, 'tool-call'), piece(0, '')]],
  ['R5', 'a first delta with an empty name', [open(0, 'tool-call'), piece(0, '', '')]],
  ['R5', 'a changed id', [open(0, 'tool-call'), piece(0, '', 'look'), piece(0, '', undefined, 'other')]],
  ['R5', 'an id that is gone', [open(0, 'tool-call'), piece(0, '', 'look'), piece(0, '', undefined, '')]],
  ['R5', 'a changed name', [open(0, 'tool-call'), piece(0, '', 'look'), piece(0, '', 'listen')]],
  [
    'R5',
    'another id at the close',
    [open(0, 'tool-call'), piece(0, '', 'look'), closeCall(0, '', 'look', 'other')],
  ],
  ['R5', 'another name at the close', [open(0, 'tool-call'), piece(0, '', 'look'), closeCall(0, '', 'listen')]],
  ['R5', 'a close before the first delta', [open(0, 'tool-call'), closeCall(0, '')]],
  ['R6', 'usage without usage', [odd({ type: 'usage' })]],
  ['R7', 'stop with open text', [open(0), delta(0, 'a'), finish('stop')]],
  ['R7', 'stop with open reasoning', [open(0, 'reasoning'), finish('stop')]],
  ['R7', 'stop with an open call', [open(0, 'tool-call'), piece(0, '', 'look'), finish('stop')]],
  ['R7', 'tool-calls with open text', [...calls().slice(0, 3), open(1), finish('tool-calls')]],
  ['R7', 'tool-calls with an open call', [open(0, 'tool-call'), piece(0, '', 'look'), finish('tool-calls')]],
  ['R7', 'max-tokens with open text', [open(0), finish('max-tokens')]],
  ['R7', 'max-tokens with open reasoning', [open(0, 'reasoning'), finish('max-tokens')]],
  ['R8', 'stop after a complete call', [...calls().slice(0, 3), finish('stop')]],
  ['R8', 'tool-calls without a call', [...says('a').slice(0, 3), finish('tool-calls')]],
  ['R8', 'tool-calls without any block', [finish('tool-calls')]],
  ['R10', 'an attempt', [attempt(2)]],
]

function faultOf(chunks: readonly StreamChunk[]): { rule: string; at: number; message: string } | undefined {
  const grammar = new Grammar()
  for (const [at, chunk] of chunks.entries()) {
    const fault = grammar.check(chunk)
    if (fault !== undefined) return { ...fault, at }
  }
  return undefined
}

describe('Grammar', () => {
  it.each(legal)('accepts %s', (_what, chunks) => {
    expect(faultOf(chunks)).toBeUndefined()
  })

  it.each(broken)('finds %s broken by %s, at the chunk that breaks it', (rule, _what, chunks) => {
    expect(faultOf(chunks)).toMatchObject({ rule, at: chunks.length - 1 })
  })

  it.each([['R1', 'R2', 'R3', 'R4', 'R5', 'R6', 'R7', 'R8', 'R10']])(
    'has a broken row for every rule that one run can break',
    (...rules) => {
      expect([...new Set(broken.map(([rule]) => rule))].toSorted()).toEqual(rules.toSorted())
    },
  )

  it.each<[what: string, chunks: readonly StreamChunk[], message: string]>([
    ['the index', [delta(7, 'a')], 'a text delta names block 7, which was never opened'],
    ['what comes next', [open(0), open(5)], 'block 5 was opened where 1 comes next'],
    [
      'both lengths',
      [open(0), delta(0, 'abc'), close(0, 'a')],
      'block 0 closed with 1 characters after deltas of 3',
    ],
    [
      'both ids',
      [open(0, 'tool-call'), piece(0, '', 'look'), piece(0, '', undefined, 'x')],
      'the call in block 0 changed its id from "call-0" to "x"',
    ],
    [
      'the length of long text',
      [odd({ type: 'y'.repeat(500) })],
      'a chunk has the unknown type a string of 500 characters',
    ],
    ['no object', [odd({ type: {} })], 'a chunk has the unknown type an object'],
    ['what is missing', [odd({ type: undefined })], 'a chunk has the unknown type undefined'],
  ])('says %s', (_what, chunks, message) => {
    expect(faultOf(chunks)?.message).toBe(message)
  })

  it.each<[what: string, chunks: readonly StreamChunk[], expected: boolean]>([
    ['nothing', [], false],
    ['an open block without text', [open(0)], false],
    ['an empty block', [open(0), delta(0, ''), close(0, '')], false],
    ['text', [open(0), delta(0, 'a')], true],
    ['reasoning', [open(0, 'reasoning'), thought(0, 'a')], true],
    ['a call without arguments', [open(0, 'tool-call'), piece(0, '', 'look')], true],
  ])('counts %s as content or not (R9)', (_what, chunks, expected) => {
    const grammar = new Grammar()
    for (const chunk of chunks) grammar.check(chunk)
    expect(grammar.hasContent).toBe(expected)
  })
})

import { describe, expect, it } from 'vitest'
import { ChunkWriter, type StreamChunk, type ToolCallPiece } from '../src/index.ts'
import { streamFaults } from './support/stream-faults.ts'
import { outline } from './support/stream-outline.ts'

type Step = readonly [key: number, piece: ToolCallPiece] | string

describe('ChunkWriter calls', () => {
  it.each<[string, readonly Step[], readonly string[]]>([
    [
      'opens at name and id, before any argument (R5)',
      [
        [0, { id: 'c1', name: 'look' }],
        [0, { arguments: '{"a"' }],
        [0, { arguments: ':1}' }],
      ],
      ['start 0 tool-call', 'call 0 c1 look ', 'call 0 c1 {"a"', 'call 0 c1 :1}', 'end 0 {"a":1}'],
    ],
    [
      'waits for the id while there is no argument text (R5)',
      [
        [0, { name: 'look' }],
        [0, { id: 'c1' }],
        [0, { arguments: '{}' }],
      ],
      ['start 0 tool-call', 'call 0 c1 look ', 'call 0 c1 {}', 'end 0 {}'],
    ],
    [
      'opens at the first argument text with a minted id, and ignores a later one (R5)',
      [
        [0, { name: 'look', arguments: '{' }],
        [0, { id: 'late' }],
        [0, { id: 'late', arguments: '}' }],
      ],
      ['start 0 tool-call', 'call 0 minted-1 look {', 'call 0 minted-1 }', 'end 0 {}'],
    ],
    [
      'holds arguments back until the name comes',
      [
        [0, { id: 'c1', arguments: '{"a' }],
        [0, { arguments: '":1' }],
        [0, { name: 'look', arguments: '}' }],
      ],
      ['start 0 tool-call', 'call 0 c1 look {"a":1}', 'end 0 {"a":1}'],
    ],
    [
      'keeps name and id once it is open (R5)',
      [
        [0, { id: 'c1', name: 'look' }],
        [0, { id: 'c2', name: 'other', arguments: '{}' }],
      ],
      ['start 0 tool-call', 'call 0 c1 look ', 'call 0 c1 {}', 'end 0 {}'],
    ],
    [
      'mints an id for a call that ends with nothing but a name (R5)',
      [[0, { name: 'look' }]],
      ['start 0 tool-call', 'call 0 minted-1 look ', 'end 0 '],
    ],
    [
      'takes empty and absent pieces for the same',
      [
        [0, { id: '', name: '', arguments: '' }],
        [0, { id: 'c1', name: 'look', arguments: undefined }],
      ],
      ['start 0 tool-call', 'call 0 c1 look ', 'end 0 '],
    ],
    [
      'closes a complete call when another begins (R4)',
      [
        [0, { id: 'c1', name: 'a', arguments: '{}' }],
        [1, { id: 'c2', name: 'b', arguments: '{' }],
        [1, { arguments: '}' }],
      ],
      [
        'start 0 tool-call',
        'call 0 c1 a {}',
        'end 0 {}',
        'start 1 tool-call',
        'call 1 c2 b {',
        'call 1 c2 }',
        'end 1 {}',
      ],
    ],
    [
      'keeps an incomplete call open beside another, so that they may interleave (R4)',
      [
        [0, { id: 'c1', name: 'a', arguments: '{"x":' }],
        [1, { id: 'c2', name: 'b', arguments: '[' }],
        [0, { arguments: '1}' }],
        [1, { arguments: ']' }],
      ],
      [
        'start 0 tool-call',
        'call 0 c1 a {"x":',
        'start 1 tool-call',
        'call 1 c2 b [',
        'call 0 c1 1}',
        'call 1 c2 ]',
        'end 0 {"x":1}',
        'end 1 []',
      ],
    ],
    [
      'lets a call without text wait for it while other calls begin (R4)',
      [
        [0, { id: 'c1', name: 'a' }],
        [1, { id: 'c2', name: 'b' }],
        [0, { arguments: '{}' }],
        [1, { arguments: '[]' }],
      ],
      [
        'start 0 tool-call',
        'call 0 c1 a ',
        'start 1 tool-call',
        'call 1 c2 b ',
        'call 0 c1 {}',
        'call 1 c2 []',
        'end 0 {}',
        'end 1 []',
      ],
    ],
    [
      'closes a blank call when text begins (R4)',
      [[0, { id: 'c1', name: 'a' }], 'hi'],
      ['start 0 tool-call', 'call 0 c1 a ', 'end 0 ', 'start 1 text', 'text 1 hi', 'end 1 hi'],
    ],
    [
      'closes text when a call begins (R4)',
      ['hi', [0, { id: 'c1', name: 'a', arguments: '{}' }]],
      ['start 0 text', 'text 0 hi', 'end 0 hi', 'start 1 tool-call', 'call 1 c1 a {}', 'end 1 {}'],
    ],
    [
      'keeps an incomplete call open beside text (R4)',
      [[0, { id: 'c1', name: 'a', arguments: '{' }], 'hi', [0, { arguments: '}' }]],
      [
        'start 0 tool-call',
        'call 0 c1 a {',
        'start 1 text',
        'text 1 hi',
        'call 0 c1 }',
        'end 1 hi',
        'end 0 {}',
      ],
    ],
    [
      'does not take a bracket inside a string for the end (R4)',
      [[0, { id: 'c1', name: 'a', arguments: '{"a":"}' }], 'hi', [0, { arguments: '"}' }]],
      [
        'start 0 tool-call',
        'call 0 c1 a {"a":"}',
        'start 1 text',
        'text 1 hi',
        'call 0 c1 "}',
        'end 1 hi',
        'end 0 {"a":"}"}',
      ],
    ],
    [
      'closes a call whose text is no JSON at the end of the stream (R8)',
      [[0, { id: 'c1', name: 'a', arguments: '{broken' }]],
      ['start 0 tool-call', 'call 0 c1 a {broken', 'end 0 {broken'],
    ],
    [
      'holds half a character of the arguments back',
      [
        [0, { id: 'c1', name: 'a', arguments: '"\uD83D' }],
        [0, { arguments: '\uDE00"' }],
      ],
      ['start 0 tool-call', 'call 0 c1 a "', 'call 0 c1 😀"', 'end 0 "😀"'],
    ],
  ])('%s', (_what, steps, expected) => {
    const chunks = write(steps)
    expect(outline(chunks)).toEqual([...expected, 'finish tool-calls'])
    expect(streamFaults(chunks)).toEqual([])
  })

  it('refuses more text after a call that is complete and closed', () => {
    const writer = new ChunkWriter()
    writer.toolCall(0, { id: 'c1', name: 'look', arguments: '{}' })
    writer.text('hi')
    expect(writer.toolCall(0, { arguments: ' \n' })).toEqual([])
    expect(() => writer.toolCall(0, { arguments: '{}' })).toThrow(
      expect.objectContaining({ code: 'MALFORMED_RESPONSE', message: expect.stringContaining('"look"') }),
    )
  })

  it('closes a call whose end the wire states, whatever its text', () => {
    const writer = new ChunkWriter()
    writer.toolCall('k', { id: 'c1', name: 'look', arguments: '{' })
    expect(outline(writer.endToolCall('k'))).toEqual(['end 0 {'])
    expect(writer.endToolCall('k')).toEqual([])
    expect(writer.endToolCall('unknown')).toEqual([])
  })

  it('tells whether a call is still incomplete', () => {
    const writer = new ChunkWriter()
    writer.toolCall(0, { id: 'c1', name: 'look' })
    expect(writer.hasIncompleteCall).toBe(false)
    writer.toolCall(0, { arguments: '{"a":' })
    expect(writer.hasIncompleteCall).toBe(true)
    writer.toolCall(0, { arguments: '1}' })
    expect(writer.hasIncompleteCall).toBe(false)
  })
})

function write(steps: readonly Step[]): readonly StreamChunk[] {
  let minted = 0
  const writer = new ChunkWriter({ mintId: () => `minted-${(minted += 1)}` })
  const chunks = steps.flatMap((step) =>
    typeof step === 'string' ? writer.text(step) : writer.toolCall(...step),
  )
  return [...chunks, ...writer.finish('tool-calls')]
}

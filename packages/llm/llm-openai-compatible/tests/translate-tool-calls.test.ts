import { describe, expect, it } from 'vitest'
import { callDelta, choice, done, type Reading, summary, translate } from './support/translate-events.ts'

const head = (index: number, id: string, name: string, text = ''): object => ({
  index,
  id,
  type: 'function',
  function: { name, arguments: text },
})
const more = (index: number, text: unknown): object => ({ index, function: { arguments: text } })

interface Row {
  readonly name: string
  readonly data: readonly string[]
  readonly result: readonly string[]
  readonly options?: Reading
}

const rows: readonly Row[] = [
  {
    name: 'keeps every digit of arguments that come as an object',
    data: [
      '{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"x","arguments":{"n":9007199254740993}}}]}}]}',
    ],
    result: ['call a x {"n":9007199254740993}', 'tool-calls'],
  },
  {
    name: 'joins the pieces of a call',
    data: [callDelta(head(0, 'a', 'read')), callDelta(more(0, '{"z"')), callDelta(more(0, ':1}'))],
    result: ['call a read {"z":1}', 'tool-calls'],
  },
  {
    name: 'tells calls apart by index when their pieces alternate',
    data: [
      callDelta(head(0, 'a', 'x', '{"z"'), head(1, 'b', 'y', '{"w"')),
      callDelta(more(1, ':2}')),
      callDelta(more(0, ':1}')),
    ],
    result: ['call a x {"z":1}', 'call b y {"w":2}', 'tool-calls'],
  },
  {
    name: 'starts a new call at a new id with a name on a used index',
    data: [callDelta(head(0, 'a', 'x', '{"z":1}')), callDelta(head(0, 'b', 'x', '{"z":2}'))],
    result: ['call a x {"z":1}', 'call b x {"z":2}', 'tool-calls'],
  },
  {
    name: 'ignores a new id without a name on a used index',
    data: [
      callDelta(head(0, 'a', 'x', '{"z"')),
      callDelta({ index: 0, id: 'b', function: { arguments: ':1}' } }),
    ],
    result: ['call a x {"z":1}', 'tool-calls'],
  },
  {
    name: 'tells calls without index apart by id',
    data: [
      callDelta({ id: 'a', function: { name: 'x', arguments: '{"z"' } }),
      callDelta({ id: 'b', function: { name: 'x', arguments: '{"w"' } }),
      callDelta({ id: 'a', function: { arguments: ':1}' } }),
      callDelta({ id: 'b', function: { arguments: ':2}' } }),
    ],
    result: ['call a x {"z":1}', 'call b x {"w":2}', 'tool-calls'],
  },
  {
    name: 'goes on with the last call where a piece has neither index nor id, nor an id known',
    data: [
      callDelta({ id: 'a', function: { name: 'x', arguments: '{"z"' } }),
      callDelta({ function: { arguments: ':' } }),
      callDelta({ id: 'fresh', function: { arguments: '1}' } }),
    ],
    result: ['call a x {"z":1}', 'tool-calls'],
  },
  {
    name: 'tells whole calls without index and id apart by position and text',
    data: [
      callDelta(
        { function: { name: 'x', arguments: '{"z":1}' } },
        { function: { name: 'x', arguments: '{"z":2}' } },
      ),
      callDelta({ function: { name: 'x', arguments: '{"z":3}' } }),
      callDelta({ function: { name: 'y', arguments: '{}' } }),
    ],
    result: [
      'call call_0 x {"z":1}',
      'call call_1 x {"z":2}',
      'call call_2 x {"z":3}',
      'call call_3 y {}',
      'tool-calls',
    ],
  },
  {
    name: 'treats empty ids and names as absent',
    data: [
      callDelta(head(0, 'a', 'x', '{')),
      callDelta(head(0, '', '', '"z":1')),
      callDelta(head(0, '', '', '}')),
      callDelta(head(0, '', '')),
    ],
    result: ['call a x {"z":1}', 'tool-calls'],
  },
  {
    name: 'takes an id that comes after the name',
    data: [
      callDelta({ index: 0, function: { name: 'x' } }),
      callDelta({ index: 0, id: 'late', function: { arguments: '{}' } }),
    ],
    result: ['call late x {}', 'tool-calls'],
  },
  {
    name: 'keeps argument text that comes before the name',
    data: [callDelta(more(0, '{"z"')), callDelta(head(0, 'a', 'x')), callDelta(more(0, ':1}'))],
    result: ['call a x {"z":1}', 'tool-calls'],
  },
  {
    name: 'ignores a repeated name and appends another piece before any argument',
    data: [
      callDelta(head(0, 'a', 'find_re')),
      callDelta(head(0, 'a', 'find_re')),
      callDelta(head(0, 'a', 'fs')),
      callDelta(more(0, '{}')),
    ],
    result: ['call a find_refs {}', 'tool-calls'],
  },
  {
    name: 'drops a first {} when the real object follows',
    data: [callDelta(head(0, 'a', 'x', '{}')), callDelta(more(0, '{"z"')), callDelta(more(0, ':1}'))],
    result: ['call a x {"z":1}', 'tool-calls'],
  },
  {
    name: 'keeps a lone {} and one that something else follows',
    data: [callDelta(head(0, 'a', 'x', '{}')), callDelta(head(1, 'b', 'y', '{}')), callDelta(more(1, '""'))],
    result: ['call a x {}', 'call b y {}""', 'tool-calls'],
  },
  {
    name: 'serialises arguments that come as an object',
    data: [callDelta(head(0, 'a', 'x')), callDelta(more(0, { z: [1] }))],
    result: ['call a x {"z":[1]}', 'tool-calls'],
  },
  {
    name: 'leaves absent, empty and null arguments empty',
    data: [
      callDelta(head(0, 'a', 'x')),
      callDelta(more(0, null)),
      callDelta({ index: 1, id: 'b', function: { name: 'y' } }),
    ],
    result: ['call a x ', 'call b y ', 'tool-calls'],
  },
  {
    name: 'keeps arguments that are no object, or no JSON, as they are',
    data: [callDelta(head(0, 'a', 'x', '[1,2]')), callDelta(head(1, 'b', 'y', '{"z": 1,}'))],
    result: ['call a x [1,2]', 'call b y {"z": 1,}', 'tool-calls'],
  },
  {
    name: 'makes an id that this answer has already distinct',
    data: [callDelta(head(0, 'd', 'x', '{"z":1}'), head(1, 'd', 'x', '{"z":2}'), head(2, 'd', 'x', '{"z":3}'))],
    result: ['call d x {"z":1}', 'call d-2 x {"z":2}', 'call d-3 x {"z":3}', 'tool-calls'],
  },
  {
    name: 'makes an id that the request has already distinct, minted ones too',
    data: [
      callDelta(head(0, 'd', 'x', '{}')),
      callDelta({ index: 1, function: { name: 'y', arguments: '{}' } }),
    ],
    result: ['call d-3 x {}', 'call call_1-2 y {}', 'tool-calls'],
    options: { usedCallIds: new Set(['d', 'd-2', 'call_1']) },
  },
  {
    name: 'gives the caller its own name of a tool',
    data: [callDelta(head(0, 'a', 'read_', '')), callDelta(head(0, '', 'file', '{}'))],
    result: ['call a fs.read {}', 'tool-calls'],
    options: { toolName: (name) => (name === 'read_file' ? 'fs.read' : name) },
  },
  {
    name: 'reads the deprecated single call and a tool with free text',
    data: [
      choice({ function_call: { name: 'x', arguments: '{"z"' } }),
      choice({ function_call: { arguments: ':1}' } }),
      callDelta({ index: 3, id: 'c', type: 'custom', custom: { name: 'y', input: 'free text' } }),
    ],
    result: ['call call_0 x {"z":1}', 'call c y free text', 'tool-calls'],
  },
  {
    name: 'keeps the order in which call and text began',
    data: [callDelta(head(0, 'a', 'x')), choice({ content: 'then text' }), callDelta(head(1, 'b', 'y', '{}'))],
    result: ['call a x ', 'text then text', 'call b y {}', 'tool-calls'],
  },
  {
    name: 'passes over entries that say nothing',
    data: [callDelta(head(0, 'a', 'x', '{}')), choice({ tool_calls: [null, 7, {}, { index: 4 }] })],
    result: ['call a x {}', 'tool-calls'],
  },
  {
    name: 'refuses a second object under the same id',
    data: [callDelta(head(0, 'a', 'x', '{"q":"A"}')), callDelta(head(0, 'a', 'x', '{"q":"B"}'))],
    result: ['open tool-call', 'error MALFORMED_RESPONSE'],
  },
  {
    name: 'refuses a second object after the call was closed',
    data: [
      callDelta(head(0, 'a', 'x', '{"q":"A"}')),
      choice({ content: 't' }),
      callDelta(more(0, '{"q":"B"}')),
    ],
    result: ['call a x {"q":"A"}', 'open text', 'error MALFORMED_RESPONSE'],
  },
  {
    name: 'refuses two objects in one piece',
    data: [callDelta(head(0, 'a', 'x', '{"q":"}{"}{"q":2}'))],
    result: ['open tool-call', 'error MALFORMED_RESPONSE'],
  },
  {
    name: 'takes braces in a string for text',
    data: [callDelta(head(0, 'a', 'x', '{"q":"}')), callDelta(more(0, '{"}'))],
    result: ['call a x {"q":"}{"}', 'tool-calls'],
  },
  {
    name: 'refuses a call that never gets a name',
    data: [callDelta({ index: 0, id: 'a', function: { arguments: '{}' } })],
    result: ['error MALFORMED_RESPONSE'],
  },
]

describe('Translator, tool calls', () => {
  it.each(rows)('$name', ({ data, result, options }) => {
    expect(summary(translate([...data, choice({}, 'tool_calls'), done], options))).toEqual(result)
  })

  it('puts the name on the first delta and one id on all of them (R5)', () => {
    const chunks = translate([
      callDelta(head(0, 'a', 'x')),
      callDelta(more(0, '{"z"')),
      callDelta(more(0, ':1}')),
    ])
    expect(chunks.filter((chunk) => chunk.type === 'tool-call-delta')).toEqual([
      { type: 'tool-call-delta', index: 0, id: 'a', name: 'x', argumentsDelta: '{"z"' },
      { type: 'tool-call-delta', index: 0, id: 'a', argumentsDelta: ':1}' },
    ])
  })

  it('closes a call that is whole when another one begins (R4)', () => {
    const chunks = translate([callDelta(head(0, 'a', 'x', '{}')), callDelta(head(1, 'b', 'y', '{"z"'))])
    expect(chunks.map((chunk) => chunk.type)).toEqual([
      'block-start',
      'tool-call-delta',
      'block-end',
      'block-start',
      'tool-call-delta',
      'finish',
    ])
  })
})

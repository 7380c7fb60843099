import { describe, expect, it } from 'vitest'
import { ChunkWriter, createFailure, type StreamChunk } from '../src/index.ts'
import { outline } from './support/stream-outline.ts'
import { streamFaults } from './support/stream-faults.ts'

describe('ChunkWriter prose', () => {
  it('opens a block at its first piece and closes it at the end', () => {
    const writer = new ChunkWriter()
    const chunks = [...writer.text('Hel'), ...writer.text('lo'), ...writer.finish('stop')]
    expect(chunks).toEqual([
      { type: 'block-start', index: 0, blockType: 'text' },
      { type: 'text-delta', index: 0, text: 'Hel' },
      { type: 'text-delta', index: 0, text: 'lo' },
      { type: 'block-end', index: 0, block: { type: 'text', text: 'Hello' } },
      { type: 'finish', reason: { kind: 'stop' } },
    ])
  })

  it('closes reasoning when text begins, and numbers blocks densely (R2, R4)', () => {
    const writer = new ChunkWriter()
    const chunks = [
      ...writer.reasoning('hm'),
      ...writer.text('a'),
      ...writer.reasoning('so'),
      ...writer.finish('stop'),
    ]
    expect(outline(chunks)).toEqual([
      'start 0 reasoning',
      'reasoning 0 hm',
      'end 0 hm',
      'start 1 text',
      'text 1 a',
      'end 1 a',
      'start 2 reasoning',
      'reasoning 2 so',
      'end 2 so',
      'finish stop',
    ])
  })

  it('gives nothing for an empty piece (R9)', () => {
    const writer = new ChunkWriter()
    expect([writer.text(''), writer.reasoning(''), writer.toolCall(0, {})]).toEqual([[], [], []])
    expect(writer.hasContent).toBe(false)
  })

  it('holds half a character back until the other half comes', () => {
    const writer = new ChunkWriter()
    const [high, low] = ['😀'.slice(0, 1), '😀'.slice(1)]
    expect(outline(writer.text(`a${high}`))).toEqual(['start 0 text', 'text 0 a'])
    expect(outline(writer.text(`${low}b`))).toEqual(['text 0 😀b'])
    expect(outline(writer.finish('stop'))).toEqual(['end 0 a😀b', 'finish stop'])
  })

  it.each<[string, (writer: ChunkWriter) => StreamChunk[]]>([
    ['the end', (writer) => writer.finish('stop')],
    ['another kind of block', (writer) => [...writer.reasoning('x'), ...writer.finish('stop')]],
    ['a call', (writer) => [...writer.toolCall(0, { id: 'c', name: 'n' }), ...writer.finish('stop')]],
  ])('does not lose half a character at %s', (_what, go) => {
    const writer = new ChunkWriter()
    const chunks = [...writer.text('a\uD83D'), ...go(writer)]
    expect(chunks).toContainEqual({ type: 'block-end', index: 0, block: { type: 'text', text: 'a\uD83D' } })
    expect(streamFaults(chunks)).toEqual([])
  })
})

describe('ChunkWriter finish', () => {
  const failure = createFailure('cut', 'STREAM_CLOSED')

  it.each<[string, (writer: ChunkWriter) => StreamChunk[], readonly string[]]>([
    [
      'stop with a complete call is tool-calls (R8)',
      (w) => [...callOf(w, '{}'), ...w.finish('stop')],
      ['end 0 {}', 'finish tool-calls'],
    ],
    [
      'tool-calls without a call is stop (R8)',
      (w) => [...w.text('a'), ...w.finish('tool-calls')],
      ['end 0 a', 'finish stop'],
    ],
    ['stop without a block is EMPTY_RESPONSE (R9)', (w) => w.finish('stop'), ['finish error EMPTY_RESPONSE']],
    [
      'tool-calls without a block is EMPTY_RESPONSE (R9)',
      (w) => w.finish('tool-calls'),
      ['finish error EMPTY_RESPONSE'],
    ],
    ['max-tokens without a block stays (R9)', (w) => w.finish('max-tokens'), ['finish max-tokens']],
    [
      'max-tokens closes prose (R7)',
      (w) => [...w.text('a'), ...w.finish('max-tokens')],
      ['end 0 a', 'finish max-tokens'],
    ],
    [
      'max-tokens leaves a cut call open (R7)',
      (w) => [...callOf(w, '{"a'), ...w.finish('max-tokens')],
      ['call 0 c n {"a', 'finish max-tokens'],
    ],
    [
      'max-tokens leaves even a whole-looking call open (R7)',
      (w) => [...callOf(w, '{}'), ...w.finish('max-tokens')],
      ['call 0 c n {}', 'finish max-tokens'],
    ],
    [
      'error leaves blocks open (R7)',
      (w) => [...w.text('a'), ...w.finish({ kind: 'error', failure })],
      ['text 0 a', 'finish error STREAM_CLOSED'],
    ],
    [
      'aborted leaves blocks open (R7)',
      (w) => [...w.text('a'), ...w.finish({ kind: 'aborted', failure })],
      ['text 0 a', 'finish aborted STREAM_CLOSED'],
    ],
    [
      'reasoning alone is an answer (R9)',
      (w) => [...w.reasoning('a'), ...w.finish('stop')],
      ['end 0 a', 'finish stop'],
    ],
    [
      'a call that never got a name is MALFORMED_RESPONSE',
      (w) => [...w.toolCall(0, { id: 'c', arguments: '{}' }), ...w.finish('tool-calls')],
      ['finish error MALFORMED_RESPONSE'],
    ],
    [
      'a call of which nothing was told is noise',
      (w) => [...w.toolCall(0, {}), ...w.text('a'), ...w.finish('stop')],
      ['end 0 a', 'finish stop'],
    ],
  ])('%s', (_what, go, expected) => {
    const chunks = go(new ChunkWriter())
    expect(outline(chunks).slice(-expected.length)).toEqual(expected)
    expect(streamFaults(chunks)).toEqual([])
  })

  it('carries replay state and response along', () => {
    const facts = { replayState: { response: 1 }, response: { provider: 'p', model: 'm' } }
    const writer = new ChunkWriter()
    writer.text('a')
    expect(writer.finish('stop', facts).at(-1)).toEqual({ type: 'finish', reason: { kind: 'stop' }, ...facts })
  })

  it('comes once, and nothing after it (R1, R6)', () => {
    const writer = new ChunkWriter()
    writer.text('a')
    writer.finish('stop')
    expect(writer.finish('stop')).toEqual([])
    expect(writer.usage({ outputTokens: 1 })).toEqual([])
    expect(writer.text('b')).toEqual([])
    expect(writer.reasoning('b')).toEqual([])
    expect(writer.toolCall(0, { id: 'c', name: 'n', arguments: '{}' })).toEqual([])
    expect(writer.endToolCall(0)).toEqual([])
  })

  it('lets usage repeat before it (R6)', () => {
    const writer = new ChunkWriter()
    expect(writer.usage({ inputTokens: 1 })).toEqual([{ type: 'usage', usage: { inputTokens: 1 } }])
    expect(writer.usage({ inputTokens: 2 })).toEqual([{ type: 'usage', usage: { inputTokens: 2 } }])
  })
})

function callOf(writer: ChunkWriter, text: string): StreamChunk[] {
  return writer.toolCall(0, { id: 'c', name: 'n', arguments: text })
}

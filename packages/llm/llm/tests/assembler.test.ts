import { describe, expect, it } from 'vitest'
import { BlockAssembler, MessageId, type StreamChunk } from '../src/index.ts'
import {
  attempt,
  calls,
  close,
  closeCall,
  delta,
  failed,
  failure,
  finish,
  open,
  piece,
  says,
  thought,
} from './support/chunks.ts'

const text = (words: string): object => ({ type: 'text', text: words })
const reasoning = (words: string): object => ({ type: 'reasoning', text: words })
const call = (args: string, index = 0): object => ({
  type: 'tool-call',
  id: `call-${index}`,
  name: 'look',
  arguments: args,
})
const usage = (outputTokens: number): StreamChunk => ({ type: 'usage', usage: { outputTokens } })
const response = { provider: 'p', model: 'm' }

function assemble(...chunks: readonly StreamChunk[]): BlockAssembler {
  const assembler = new BlockAssembler()
  for (const chunk of chunks) assembler.push(chunk)
  return assembler
}

const rows: [
  what: string,
  chunks: readonly StreamChunk[],
  blocks: readonly object[],
  interrupted: readonly object[],
][] = [
  ['nothing', [], [], []],
  ['one text', says('hello'), [text('hello')], [text('hello')]],
  ['an open text', [open(0), delta(0, 'he'), delta(0, 'l')], [text('hel')], [text('hel')]],
  ['a text without a start', [delta(0, 'a')], [text('a')], [text('a')]],
  ['an empty text', [open(0), close(0, '')], [], []],
  ['a blank text', [open(0), delta(0, ' \n')], [text(' \n')], []],
  ['a close that says more', [open(0), delta(0, 'a'), close(0, 'abc')], [text('abc')], [text('abc')]],
  ['a second close', [open(0), close(0, 'first'), close(0, 'second')], [text('first')], [text('first')]],
  ['a straggler', [...says('a').slice(0, 3), delta(0, 'late')], [text('a')], [text('a')]],
  ['a chunk after the finish', [...says('a'), delta(1, 'late'), usage(9)], [text('a')], [text('a')]],
  ['a delta of another type', [open(0), thought(0, 'a'), delta(0, 'b')], [text('b')], [text('b')]],
  [
    'reasoning and text',
    [open(0, 'reasoning'), thought(0, 'hm'), open(1), delta(1, 'a')],
    [reasoning('hm'), text('a')],
    [reasoning('hm'), text('a')],
  ],
  [
    'blocks out of order',
    [open(1), delta(1, 'b'), open(0), delta(0, 'a')],
    [text('a'), text('b')],
    [text('a'), text('b')],
  ],
  [
    'interleaved deltas',
    [delta(0, 'a'), delta(1, 'x'), delta(0, 'b'), delta(1, 'y')],
    [text('ab'), text('xy')],
    [text('ab'), text('xy')],
  ],
  ['a complete call', calls('{"a":1}'), [call('{"a":1}')], []],
  ['an open call', [open(0, 'tool-call'), piece(0, '{"a', 'look')], [call('{"a')], []],
  ['a call that only opened', [open(0, 'tool-call')], [], []],
  [
    'an open call when the answer ends',
    [delta(1, 'a'), piece(0, '{', 'look'), finish('tool-calls')],
    [text('a')],
    [text('a')],
  ],
  ['an open call when the answer fails', [piece(0, '{', 'look'), failed('SERVER')], [call('{')], []],
  ['a changed id and name', [piece(0, '{', 'look'), piece(0, '}', 'listen', 'x')], [call('{}')], []],
  [
    'a call cut by max-tokens',
    [open(0), delta(0, 'a'), close(0, 'a'), piece(1, '{', 'look'), finish('max-tokens')],
    [text('a')],
    [text('a')],
  ],
  ['a complete call before max-tokens', [...calls().slice(0, 3), finish('max-tokens')], [], []],
  ['an attempt', [open(0), delta(0, 'void'), attempt(2), open(0), delta(0, 'ok')], [text('ok')], [text('ok')]],
  ['a block of a merged kind', [{ type: 'block-start', index: 0, blockType: 'tool-result' }], [], []],
]

describe('BlockAssembler (4.2)', () => {
  it.each(rows)('assembles %s', (_what, chunks, blocks, interrupted) => {
    const assembler = assemble(...chunks)
    expect(assembler.blocks()).toEqual(blocks)
    expect(assembler.interruptedBlocks()).toEqual(interrupted)
  })

  it('is unfinished until a finish came, and never stop before', () => {
    expect(assemble(...says('a').slice(0, 3)).finish).toBeUndefined()
    expect(assemble(...says('a')).finish).toMatchObject({ kind: 'stop', isAnswer: true, failure: undefined })
    expect(assemble(failed('SERVER')).finish).toMatchObject({
      kind: 'error',
      isAnswer: false,
      failure: failure('SERVER'),
    })
  })

  it('takes the last snapshot of usage (R6)', () => {
    expect(assemble(usage(1), usage(3)).usage).toEqual({ outputTokens: 3 })
    expect(assemble().usage).toBeUndefined()
  })

  it('keeps what void attempts cost, and counts the last one alone as its usage', () => {
    const assembler = assemble(
      usage(5),
      { ...attempt(2, 'SERVER'), usage: { outputTokens: 7 } } as StreamChunk,
      usage(6),
      attempt(3, 'TIMEOUT'),
      usage(1),
    )
    expect(assembler.attempts).toEqual([
      { failure: failure('SERVER'), delayMs: 0, usage: { outputTokens: 7 } },
      { failure: failure('TIMEOUT'), delayMs: 0, usage: { outputTokens: 6 } },
    ])
    expect(assembler.usage).toEqual({ outputTokens: 1 })
  })

  it('gives the same array of blocks until the next chunk', () => {
    const assembler = assemble(...says('a').slice(0, 2))
    const blocks = assembler.blocks()
    expect(assembler.blocks()).toBe(blocks)
    expect(Object.isFrozen(blocks)).toBe(true)
    assembler.push(delta(0, 'b'))
    expect(assembler.blocks()).not.toBe(blocks)
    expect(blocks).toEqual([text('a')])
  })
})

describe('BlockAssembler.message', () => {
  it('names the route that answered, and its replay state', () => {
    const replayState = { response: 1, blocks: ['for text'] }
    const message = assemble(...says('a').slice(0, 3), finish('stop', { response, replayState })).message()
    expect(message).toMatchObject({
      role: 'assistant',
      content: [text('a')],
      source: { kind: 'model', ...response, replayState },
    })
    expect(Object.isFrozen(message.content[0])).toBe(true)
  })

  it('has a plugin as its source where no route answered', () => {
    expect(assemble(...says('a')).message().source).toEqual({ kind: 'plugin', plugin: 'unnamed' })
  })

  it('takes a source, and the id it was made with', () => {
    const assembler = new BlockAssembler({ id: MessageId('id-1') })
    for (const chunk of says('a')) assembler.push(chunk)
    expect(assembler.message({ kind: 'user' })).toMatchObject({ id: 'id-1', source: { kind: 'user' } })
    expect(assembler.message().id).toBe('id-1')
  })

  it('is the same message every time once the stream is over', () => {
    const assembler = assemble(...says('a'))
    expect(assembler.message()).toBe(assembler.message())
  })

  it('asked for too early is made anew when more has come', () => {
    const assembler = assemble(...says('ab').slice(0, 1), delta(0, 'a'))
    expect(assembler.message().content).toEqual([text('a')])
    assembler.push(delta(0, 'b'))
    expect(assembler.message().content).toEqual([text('ab')])
  })

  it('of a cut answer holds what is worth keeping, without replay state', () => {
    const message = assemble(delta(0, 'a'), piece(1, '{', 'look'), {
      ...failed('SERVER'),
      response,
      replayState: { response: 1 },
    } as StreamChunk).message()
    expect(message).toMatchObject({ content: [text('a')], source: { kind: 'model', ...response } })
    expect(message.source).not.toHaveProperty('replayState')
  })
})

describe('BlockAssembler.replayState', () => {
  const entries = { response: 'r', blocks: ['zero', 'one', 'two'] }

  it.each<[what: string, chunks: readonly StreamChunk[], blocks: readonly unknown[]]>([
    [
      'keeps the entries of its blocks',
      [delta(0, 'a'), delta(1, 'b'), delta(2, 'c'), finish('stop', { replayState: entries })],
      ['zero', 'one', 'two'],
    ],
    [
      'drops those of empty blocks',
      [open(0), close(0, ''), delta(1, 'b'), finish('stop', { replayState: entries })],
      ['one'],
    ],
    [
      'drops those of calls that max-tokens cut',
      [delta(0, 'a'), piece(1, '{', 'look'), finish('max-tokens', { replayState: entries })],
      ['zero'],
    ],
    [
      'says null where an entry is missing',
      [delta(0, 'a'), delta(3, 'd'), finish('stop', { replayState: entries })],
      ['zero', null],
    ],
  ])('%s', (_what, chunks, blocks) => {
    expect(assemble(...chunks).replayState).toEqual({ response: 'r', blocks })
  })

  it('is what the finish brought where it has no entries', () => {
    expect(assemble(finish('stop', { replayState: { response: null } })).replayState).toEqual({
      response: null,
    })
    expect(assemble(...says('a')).replayState).toBeUndefined()
  })

  it('fits the content of its message, entry by entry', () => {
    const assembler = assemble(
      open(0),
      close(0, ''),
      piece(1, '{}', 'look'),
      closeCall(1, '{}'),
      finish('tool-calls', { response, replayState: entries }),
    )
    expect(assembler.message().content.length).toBe(1)
    expect(assembler.message().source).toMatchObject({ replayState: { blocks: ['one'] } })
  })
})

import { describe, expect, it } from 'vitest'
import { type AnthropicDialect, anthropicMessages, type NeutralAnswer } from '../../src/index.ts'
import { namedEventsOf } from './frames.ts'

const usage = {
  inputTokens: 20,
  cacheReadTokens: 1024,
  cacheWriteTokens: 0,
  outputTokens: 71,
  reasoningTokens: 12,
}
const input = { input_tokens: 20, cache_creation_input_tokens: 0, cache_read_input_tokens: 1024 }
const output = { output_tokens: 71, output_tokens_details: { thinking_tokens: 12 } }

function render(answer: NeutralAnswer, dialect?: Partial<AnthropicDialect>): Record<string, unknown>[] {
  return namedEventsOf(anthropicMessages(answer, dialect))
}

/** The events of the blocks only. */
function blocks(answer: NeutralAnswer, dialect?: Partial<AnthropicDialect>): unknown[] {
  return render(answer, dialect).filter(({ type }) => String(type).startsWith('content_block'))
}

const start = (index: number, block: object): object => ({
  type: 'content_block_start',
  index,
  content_block: block,
})
const delta = (index: number, piece: object): object => ({ type: 'content_block_delta', index, delta: piece })
const stop = (index: number): object => ({ type: 'content_block_stop', index })
const call = (id: unknown, name: string): object => ({
  type: 'tool_use',
  id,
  name,
  input: {},
  caller: { type: 'direct' },
})

describe('anthropicMessages', () => {
  it('writes every event under its name, with a ping in the first block', () => {
    expect(anthropicMessages({ text: 'Hi', usage: { outputTokens: 9 } }, { id: 'msg_1', model: 'm' })).toEqual([
      'event: message_start\ndata: {"type":"message_start","message":{"id":"msg_1","type":"message","role":"assistant",' +
        '"model":"m","content":[],"stop_reason":null,"stop_sequence":null,"stop_details":null,' +
        '"usage":{"output_tokens":1}}}\n\n',
      'event: content_block_start\ndata: {"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}\n\n',
      'event: ping\ndata: {"type":"ping"}\n\n',
      'event: content_block_delta\ndata: {"type":"content_block_delta","index":0,' +
        '"delta":{"type":"text_delta","text":"Hi"}}\n\n',
      'event: content_block_stop\ndata: {"type":"content_block_stop","index":0}\n\n',
      'event: message_delta\ndata: {"type":"message_delta","delta":{"stop_reason":"end_turn","stop_sequence":null,' +
        '"stop_details":null},"usage":{"output_tokens":9}}\n\n',
      'event: message_stop\ndata: {"type":"message_stop"}\n\n',
    ])
  })

  it('streams thinking, text and calls as blocks', () => {
    const answer = {
      reasoning: ['Look up', ' both.'],
      text: 'Sure',
      calls: [
        { id: 'toolu_1', name: 'weather', arguments: ['{"city": ', '"Oslo"}'] },
        { name: 'now', arguments: '' },
      ],
    }
    expect(blocks(answer, { signature: 'RXFz' })).toEqual([
      start(0, { type: 'thinking', thinking: '', signature: '' }),
      delta(0, { type: 'thinking_delta', thinking: 'Look up' }),
      delta(0, { type: 'thinking_delta', thinking: ' both.' }),
      delta(0, { type: 'signature_delta', signature: 'RXFz' }),
      stop(0),
      start(1, { type: 'text', text: '' }),
      delta(1, { type: 'text_delta', text: 'Sure' }),
      stop(1),
      start(2, call('toolu_1', 'weather')),
      delta(2, { type: 'input_json_delta', partial_json: '' }),
      delta(2, { type: 'input_json_delta', partial_json: '{"city": ' }),
      delta(2, { type: 'input_json_delta', partial_json: '"Oslo"}' }),
      stop(2),
      start(3, call(expect.stringMatching(/^toolu_\w{24}$/), 'now')),
      delta(3, { type: 'input_json_delta', partial_json: '' }),
      stop(3),
    ])
  })

  it.each([
    [{ signature: undefined }, '', []],
    [{ signature: '' }, '', ['']],
    [{ signature: 'RXFz', signatureOnStart: true }, 'RXFz', ['RXFz']],
  ])('signs thinking as %j says', (dialect, onStart, deltas) => {
    expect(blocks({ reasoning: 'Hm' }, dialect)).toEqual([
      start(0, { type: 'thinking', thinking: '', signature: onStart }),
      delta(0, { type: 'thinking_delta', thinking: 'Hm' }),
      ...deltas.map((signature) => delta(0, { type: 'signature_delta', signature })),
      stop(0),
    ])
  })

  it('has a block with a signature alone for reasoning that is empty, and none for text', () => {
    expect(blocks({ reasoning: '', text: '' }, { signature: 'RXFz' })).toEqual([
      start(0, { type: 'thinking', thinking: '', signature: '' }),
      delta(0, { type: 'signature_delta', signature: 'RXFz' }),
      stop(0),
    ])
  })

  it('inserts redacted thinking behind the thinking', () => {
    const kinds = blocks({ reasoning: 'Hm', text: 'Hi' }, { redacted: 'b3BhcXVl' }).slice(4, 7)
    expect(kinds).toEqual([
      start(1, { type: 'redacted_thinking', data: 'b3BhcXVl' }),
      stop(1),
      start(2, { type: 'text', text: '' }),
    ])
  })
})

describe('anthropicMessages usage', () => {
  it.each([
    ['both', { ...input, output_tokens: 1 }, { ...input, ...output }],
    ['start', { ...input, output_tokens: 1 }, output],
    ['delta', { output_tokens: 1 }, { ...input, ...output }],
  ] as const)('counts input on %s', (inputUsage, onStart, onDelta) => {
    const events = render({ text: 'a', usage }, { inputUsage })
    expect(events[0]?.['message']).toMatchObject({ usage: expect.toSatisfy(isSame(onStart)) })
    expect(events.at(-2)?.['usage']).toEqual(onDelta)
  })

  it('names only what is known', () => {
    const events = render({ usage: { inputTokens: 0 } })
    expect([events[0]?.['message'], events.at(-2)]).toMatchObject([
      { usage: expect.toSatisfy(isSame({ input_tokens: 0 })) },
      { usage: expect.toSatisfy(isSame({ input_tokens: 0 })) },
    ])
  })
})

function isSame(wanted: object): (seen: unknown) => boolean {
  return (seen) => JSON.stringify(seen) === JSON.stringify(wanted)
}

describe('anthropicMessages finish', () => {
  it.each([
    [{ text: 'a' }, 'end_turn'],
    [{ calls: [{ name: 'f', arguments: '{}' }] }, 'tool_use'],
    [{ finish: 'stop', calls: [{ name: 'f', arguments: '{}' }] }, 'end_turn'],
    [{ finish: 'max-tokens' }, 'max_tokens'],
    [{ finish: 'pause_turn' }, 'pause_turn'],
  ])('of %j is %s on the wire', (answer, reason) => {
    expect(render(answer).at(-2)).toMatchObject({ type: 'message_delta', delta: { stop_reason: reason } })
  })

  it('tells the details of a stop', () => {
    const stopDetails = { type: 'refusal', category: 'cyber', explanation: null }
    expect(render({ finish: 'refusal' }, { stopDetails }).at(-2)).toMatchObject({
      delta: { stop_reason: 'refusal', stop_sequence: null, stop_details: stopDetails },
    })
  })

  it('can be left out', () => {
    expect(render({ text: 'a', finish: null, usage }).at(-1)).toEqual(stop(0))
  })

  it('may be followed by the end marker of a clone', () => {
    expect(anthropicMessages({ text: 'a' }, { done: true }).at(-1)).toBe('data: [DONE]\n\n')
  })

  it('gives way to an error, the last block staying open', () => {
    const error = { type: 'overloaded_error', message: 'Overloaded', code: 529 }
    expect(render({ text: 'Half an', error, usage }).slice(-2)).toEqual([
      delta(0, { type: 'text_delta', text: 'Half an' }),
      {
        type: 'error',
        error: { type: 'overloaded_error', message: 'Overloaded' },
        request_id: 'req_testkit',
      },
    ])
    expect(render({ error: { message: 'Broken' } }, { requestId: undefined }).slice(1)).toEqual([
      { type: 'ping' },
      { type: 'error', error: { type: 'api_error', message: 'Broken' } },
    ])
  })
})

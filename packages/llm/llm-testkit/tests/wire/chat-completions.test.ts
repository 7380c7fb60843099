import { describe, expect, it } from 'vitest'
import {
  type ChatDialect,
  type NeutralAnswer,
  chatCompletions,
  deepseekDialect,
  openaiDialect,
} from '../../src/index.ts'
import { eventsOf } from './frames.ts'

const usage = { inputTokens: 12, cacheReadTokens: 128, outputTokens: 9, reasoningTokens: 7 }

/** Choices and usage of each event, without the envelope. */
function render(answer: NeutralAnswer, dialect: Partial<ChatDialect> = {}): unknown[] {
  return eventsOf(chatCompletions(answer, dialect)).map((event) => {
    if (typeof event !== 'object' || event === null || !('choices' in event)) return event
    const counts = 'usage' in event ? event.usage : undefined
    return [event.choices, counts]
  })
}

const open = (delta: unknown): unknown => [[{ index: 0, delta, logprobs: null, finish_reason: null }], null]

describe('chatCompletions in the dialect of DeepSeek', () => {
  it('streams reasoning, text and the usage on the finish', () => {
    const answer = { reasoning: ['Two plus', ' two'], text: '4', usage }
    expect(render(answer, deepseekDialect)).toEqual([
      open({ role: 'assistant', content: null, reasoning_content: '' }),
      open({ content: null, reasoning_content: 'Two plus' }),
      open({ content: null, reasoning_content: ' two' }),
      open({ content: '4', reasoning_content: null }),
      [
        [{ index: 0, delta: { content: '', reasoning_content: null }, logprobs: null, finish_reason: 'stop' }],
        {
          prompt_tokens: 140,
          completion_tokens: 9,
          total_tokens: 149,
          prompt_tokens_details: { cached_tokens: 128 },
          completion_tokens_details: { reasoning_tokens: 7 },
          prompt_cache_hit_tokens: 128,
          prompt_cache_miss_tokens: 12,
        },
      ],
      '[DONE]',
    ])
  })

  it('has no reasoning field at all when the answer has no reasoning', () => {
    const text = chatCompletions({ text: 'hi' }, deepseekDialect).join('')
    expect(text).not.toContain('reasoning')
    expect(render({ text: 'hi' }, deepseekDialect).slice(0, 2)).toEqual([
      open({ role: 'assistant', content: '' }),
      open({ content: 'hi' }),
    ])
  })

  it('keeps thinking on when reasoning is there and empty', () => {
    const [first] = render({ reasoning: '', text: 'hi' }, deepseekDialect)
    expect(first).toEqual(open({ role: 'assistant', content: null, reasoning_content: '' }))
  })

  it('streams each call as a head and its pieces, with an id by position', () => {
    const answer = {
      calls: [
        { name: 'now', arguments: '' },
        { name: 'ls', arguments: ['{"a"', ':1}'] },
      ],
    }
    const head = (index: number, name: string): unknown =>
      open({
        tool_calls: [
          {
            index,
            id: expect.stringMatching(`^call_0${index}_\\w{24}$`),
            type: 'function',
            function: { name, arguments: '' },
          },
        ],
      })
    const piece = (text: string): unknown => open({ tool_calls: [{ index: 1, function: { arguments: text } }] })
    expect(render(answer, deepseekDialect).slice(1, -2)).toEqual([
      head(0, 'now'),
      head(1, 'ls'),
      piece('{"a"'),
      piece(':1}'),
    ])
  })
})

describe('chatCompletions in the common dialect', () => {
  it('sends usage in an event of its own and finishes with an empty delta', () => {
    expect(render({ text: ['He', 'llo'], usage: { inputTokens: 8, outputTokens: 2 } })).toEqual([
      [[{ index: 0, delta: { role: 'assistant', content: '' }, finish_reason: null }], null],
      [[{ index: 0, delta: { content: 'He' }, finish_reason: null }], null],
      [[{ index: 0, delta: { content: 'llo' }, finish_reason: null }], null],
      [[{ index: 0, delta: {}, finish_reason: 'stop' }], null],
      [[], { prompt_tokens: 8, completion_tokens: 2, total_tokens: 10 }],
      '[DONE]',
    ])
  })

  it('takes another reasoning field, whole calls, CRLF and no end marker', () => {
    const answer = { reasoning: 'hm', calls: [{ id: 'c', name: 'ls', arguments: ['{', '}'] }], usage }
    const dialect = {
      reasoningField: 'reasoning',
      calls: 'whole',
      eol: '\r\n',
      done: false,
      usage: 'never',
    } as const
    const frames = chatCompletions(answer, dialect)
    expect(frames.every((frame) => frame.endsWith('}\r\n\r\n'))).toBe(true)
    expect(render(answer, dialect).slice(1)).toEqual([
      [[{ index: 0, delta: { reasoning: 'hm' }, finish_reason: null }], undefined],
      [
        [
          {
            index: 0,
            delta: {
              tool_calls: [{ index: 0, id: 'c', type: 'function', function: { name: 'ls', arguments: '{}' } }],
            },
            finish_reason: null,
          },
        ],
        undefined,
      ],
      [[{ index: 0, delta: {}, finish_reason: 'tool_calls' }], undefined],
    ])
  })

  it('gives every event the same envelope', () => {
    const events = eventsOf(chatCompletions({ text: 'a', usage }, { model: 'm', id: 'x', created: 7 }))
    const envelope = {
      id: 'x',
      model: 'm',
      created: 7,
      object: 'chat.completion.chunk',
      system_fingerprint: 'fp_testkit',
    }
    for (const event of events.slice(0, -1)) expect(event).toMatchObject(envelope)
  })

  it('keeps every piece as one frame, an empty one too', () => {
    expect(chatCompletions({ text: ['', 'a', ''] })).toHaveLength(1 + 3 + 1 + 1)
    expect(chatCompletions({ text: '' })).toHaveLength(1 + 1 + 1)
  })
})

describe('chatCompletions finish', () => {
  it.each([
    [{ text: 'a' }, 'stop'],
    [{ calls: [{ name: 'f', arguments: '{}' }] }, 'tool_calls'],
    [{ finish: 'stop', calls: [{ name: 'f', arguments: '{}' }] }, 'stop'],
    [{ finish: 'tool-calls' }, 'tool_calls'],
    [{ finish: 'max-tokens' }, 'length'],
    [{ finish: 'insufficient_system_resource' }, 'insufficient_system_resource'],
  ])('of %j is %s on the wire', (answer, reason) => {
    for (const dialect of [deepseekDialect, openaiDialect]) {
      expect(render(answer, dialect).at(-2)).toMatchObject([[{ finish_reason: reason }], null])
    }
  })

  it('can be left out, usage staying', () => {
    expect(render({ text: 'a', finish: null, usage }, deepseekDialect).at(-2)).toMatchObject([
      [],
      { total_tokens: 149 },
    ])
    expect(chatCompletions({ text: 'a', finish: null, usage }).join('')).not.toMatch(/finish_reason":"/)
  })

  it('gives way to an error, after which nothing comes', () => {
    const error = { message: 'Overloaded', type: 'server_error' }
    expect(render({ text: 'Par', usage, error }).slice(2)).toEqual([
      { error: { ...error, param: null, code: null } },
    ])
  })
})

describe('chatCompletions usage', () => {
  it.each([
    [{}, {}],
    [{ outputTokens: 3 }, { completion_tokens: 3 }],
    [
      { inputTokens: 0, outputTokens: 0 },
      { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 },
    ],
    [
      { inputTokens: 1, cacheReadTokens: 2, cacheWriteTokens: 4 },
      { prompt_tokens: 7, prompt_tokens_details: { cached_tokens: 2, cache_write_tokens: 4 } },
    ],
  ])('of %j names only what is known', (counts, wire) => {
    expect(render({ usage: counts }).at(-2)).toEqual([[], wire])
  })
})

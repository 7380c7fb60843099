import { describe, expect, it } from 'vitest'
import { type NeutralAnswer, openaiResponses, type ResponsesDialect } from '../../src/index.ts'
import { namedEventsOf } from './frames.ts'

const usage = { inputTokens: 60, outputTokens: 30, reasoningTokens: 16 }
const id = (prefix: string): unknown => expect.stringMatching(`^${prefix}\\w{24}$`)

function render(answer: NeutralAnswer, dialect?: Partial<ResponsesDialect>): Record<string, unknown>[] {
  return namedEventsOf(openaiResponses(answer, dialect))
}

/** Events without their numbers and without the two that begin every stream. */
function body(answer: NeutralAnswer, dialect?: Partial<ResponsesDialect>): unknown[] {
  return render(answer, dialect)
    .slice(2)
    .map((event) => Object.fromEntries(Object.entries(event).filter(([field]) => field !== 'sequence_number')))
}

function types(answer: NeutralAnswer, dialect?: Partial<ResponsesDialect>): unknown[] {
  return render(answer, dialect).map(({ type }) => String(type).replace(/^response\./, ''))
}

describe('openaiResponses', () => {
  it('writes every event under its name', () => {
    expect(openaiResponses({ finish: null }, { id: 'r', model: 'm', created: 7 })).toEqual(
      ['created', 'in_progress'].map(
        (step, number) =>
          `event: response.${step}\ndata: {"type":"response.${step}","sequence_number":${number},"response":` +
          '{"id":"r","object":"response","created_at":7,"status":"in_progress","model":"m","output":[],"usage":null}}\n\n',
      ),
    )
  })

  it('numbers the events from zero', () => {
    const events = render({ reasoning: 'a', text: 'b', calls: [{ name: 'f', arguments: '{}' }] })
    expect(events.map((event) => event['sequence_number'])).toEqual(events.map((_, at) => at))
  })

  it('streams reasoning as a summary', () => {
    const place = { item_id: id('rs_'), output_index: 0, summary_index: 0 }
    const part = { type: 'summary_text', text: '**Plan**' }
    const item = { id: id('rs_'), type: 'reasoning', summary: [] }
    const done = { ...item, summary: [part], encrypted_content: 'ZW5j' }
    const events = body({ reasoning: ['**Pl', 'an**'] }, { encryptedContent: 'ZW5j' })
    expect(events.slice(0, -1)).toEqual([
      { type: 'response.output_item.added', output_index: 0, item },
      { type: 'response.reasoning_summary_part.added', ...place, part: { ...part, text: '' } },
      { type: 'response.reasoning_summary_text.delta', ...place, delta: '**Pl' },
      { type: 'response.reasoning_summary_text.delta', ...place, delta: 'an**' },
      { type: 'response.reasoning_summary_text.done', ...place, text: '**Plan**' },
      { type: 'response.reasoning_summary_part.done', ...place, part },
      { type: 'response.output_item.done', output_index: 0, item: done },
    ])
  })

  it('streams reasoning as text', () => {
    const place = { item_id: id('rs_'), output_index: 0, content_index: 0 }
    const part = { type: 'reasoning_text', text: 'Hm' }
    const item = { id: id('rs_'), type: 'reasoning', summary: [], content: [] }
    const events = body({ reasoning: 'Hm' }, { reasoning: 'text', encryptedContent: undefined })
    expect(events.slice(0, -1)).toEqual([
      { type: 'response.output_item.added', output_index: 0, item },
      { type: 'response.content_part.added', ...place, part: { ...part, text: '' } },
      { type: 'response.reasoning_text.delta', ...place, delta: 'Hm' },
      { type: 'response.reasoning_text.done', ...place, text: 'Hm' },
      { type: 'response.content_part.done', ...place, part },
      { type: 'response.output_item.done', output_index: 0, item: { ...item, content: [part] } },
    ])
  })

  it('streams text as a message', () => {
    const place = { item_id: id('msg_'), output_index: 0, content_index: 0 }
    const part = { type: 'output_text', annotations: [], text: 'Once upon' }
    const item = { id: id('msg_'), type: 'message', status: 'in_progress', role: 'assistant', content: [] }
    const phase = 'final_answer'
    const done = { ...item, status: 'completed', content: [part], phase }
    expect(body({ text: ['Once', ' upon'] }, { phase }).slice(0, -1)).toEqual([
      { type: 'response.output_item.added', output_index: 0, item: { ...item, phase } },
      { type: 'response.content_part.added', ...place, part: { ...part, text: '' } },
      { type: 'response.output_text.delta', ...place, delta: 'Once', logprobs: [] },
      { type: 'response.output_text.delta', ...place, delta: ' upon', logprobs: [] },
      { type: 'response.output_text.done', ...place, text: 'Once upon', logprobs: [] },
      { type: 'response.content_part.done', ...place, part },
      { type: 'response.output_item.done', output_index: 0, item: done },
    ])
  })

  it('streams each call as an item', () => {
    const calls = [
      { id: 'call_1', name: 'weather', arguments: ['{"city":', '"Oslo"}'] },
      { name: 'now', arguments: '' },
    ]
    const place = { item_id: id('fc_'), output_index: 0 }
    const head = { id: id('fc_'), type: 'function_call', status: 'in_progress' }
    const first = { ...head, call_id: 'call_1', name: 'weather', arguments: '' }
    const second = { ...head, call_id: id('call_'), name: 'now', arguments: '' }
    const whole = { arguments: '{"city":"Oslo"}' }
    expect(body({ calls }).slice(0, -1)).toEqual([
      { type: 'response.output_item.added', output_index: 0, item: first },
      { type: 'response.function_call_arguments.delta', ...place, delta: '{"city":' },
      { type: 'response.function_call_arguments.delta', ...place, delta: '"Oslo"}' },
      { type: 'response.function_call_arguments.done', ...place, ...whole },
      { type: 'response.output_item.done', output_index: 0, item: { ...first, status: 'completed', ...whole } },
      { type: 'response.output_item.added', output_index: 1, item: second },
      { type: 'response.function_call_arguments.done', ...place, output_index: 1, arguments: '' },
      { type: 'response.output_item.done', output_index: 1, item: { ...second, status: 'completed' } },
    ])
  })

  it('has an item without a part for reasoning that is empty, and none for text', () => {
    const item = { id: id('rs_'), type: 'reasoning', summary: [] }
    expect(body({ reasoning: '', text: '' }, { encryptedContent: 'ZW5j' }).slice(0, -1)).toEqual([
      { type: 'response.output_item.added', output_index: 0, item },
      { type: 'response.output_item.done', output_index: 0, item: { ...item, encrypted_content: 'ZW5j' } },
    ])
  })

  it('repeats the items at the end, or not', () => {
    const answer = { reasoning: 'a', text: 'b', calls: [{ name: 'f', arguments: '{}' }] }
    const events = render(answer)
    const done = events.filter(({ type }) => type === 'response.output_item.done').map(({ item }) => item)
    expect(done).toHaveLength(3)
    expect(events.at(-1)).toMatchObject({ response: { output: done } })
    expect(render(answer, { output: 'empty' }).at(-1)).toMatchObject({ response: { output: [] } })
  })

  it('changes item ids with every event, but not the ids of calls', () => {
    const events = render({ calls: [{ name: 'f', arguments: ['{', '}'] }] }, { itemIds: 'per-event' })
    const items = events.map((event) => event['item'] as Record<string, unknown> | undefined)
    const ids = events.map((event, at) => event['item_id'] ?? items[at]?.['id']).filter(Boolean)
    expect(new Set(ids).size).toBe(5)
    expect(items.flatMap((item) => item?.['call_id'] ?? [])).toEqual([id('call_'), id('call_')])
  })
})

describe('openaiResponses finish', () => {
  const calls = [{ name: 'f', arguments: '{"a' }]

  it.each([
    [{ text: 'a' }, 'completed', {}],
    [{ calls }, 'completed', {}],
    [{ finish: 'stop', calls }, 'completed', {}],
    [{ finish: 'max-tokens' }, 'incomplete', { incomplete_details: { reason: 'max_output_tokens' } }],
    [{ finish: 'content_filter' }, 'incomplete', { incomplete_details: { reason: 'content_filter' } }],
  ])('of %j is %s', (answer, status, details) => {
    expect(body(answer).at(-1)).toMatchObject({ type: `response.${status}`, response: { status, ...details } })
  })

  it('is incomplete for the last item only', () => {
    const events = render({ text: 'a', calls, finish: 'max-tokens' })
    const done = events.filter(({ type }) => type === 'response.output_item.done')
    expect(done.map(({ item }) => (item as Record<string, unknown>)['status'])).toEqual([
      'completed',
      'incomplete',
    ])
  })

  it('can be left out', () => {
    expect(types({ text: 'a', finish: null, usage }).at(-1)).toBe('output_item.done')
  })

  it.each([
    [{}, {}],
    [{ outputTokens: 3 }, { output_tokens: 3 }],
    [
      usage,
      {
        input_tokens: 60,
        output_tokens: 30,
        output_tokens_details: { reasoning_tokens: 16 },
        total_tokens: 90,
      },
    ],
    [
      { inputTokens: 1, cacheReadTokens: 2, cacheWriteTokens: 4 },
      { input_tokens: 7, input_tokens_details: { cached_tokens: 2, cache_write_tokens: 4 } },
    ],
  ])('counts %j', (counts, wire) => {
    const { response } = render({ usage: counts }).at(-1) as { response: { usage: unknown } }
    expect(response.usage).toEqual(wire)
  })
})

describe('openaiResponses error', () => {
  const error = { type: 'server_error', message: 'Something went wrong' }
  const facts = { code: 'server_error', message: 'Something went wrong', param: null }

  it('stands in its own event and in the failed response, the last item staying open', () => {
    const events = body({ reasoning: 'Hm', text: 'Par', error, usage })
    expect(types({ text: 'Par', error }).slice(-3)).toEqual(['output_text.delta', 'error', 'failed'])
    expect(events.slice(-2)).toMatchObject([
      { type: 'error', error: { type: 'server_error', ...facts } },
      {
        type: 'response.failed',
        response: {
          status: 'failed',
          error: { code: 'server_error', message: 'Something went wrong' },
          output: [],
          usage: null,
        },
      },
    ])
  })

  it.each([
    [{ failure: 'error' }, [{ type: 'error', error: { type: 'server_error', ...facts } }]],
    [{ failure: 'error', errorShape: 'flat' }, [{ type: 'error', ...facts }]],
  ] as const)('of %j is told once', (dialect, events) => {
    expect(body({ error }, dialect)).toEqual(events)
  })

  it('can be told by the failed response alone', () => {
    expect(types({ error }, { failure: 'failed' })).toEqual(['created', 'in_progress', 'failed'])
  })

  it('keeps a code of its own', () => {
    const code = 'rate_limit_exceeded'
    expect(body({ error: { ...error, code } })[0]).toMatchObject({ error: { type: 'server_error', code } })
  })
})

import { describe, expect, it } from 'vitest'
import { callDelta, choice, done, type Reading, summary, translate } from './support/translate-events.ts'

const text = choice({ content: 'x' })
const whole = callDelta({ index: 0, id: 'a', function: { name: 'f', arguments: '{"z":1}' } })
const blank = callDelta({ index: 0, id: 'a', function: { name: 'f', arguments: '' } })
const half = callDelta({ index: 0, id: 'a', function: { name: 'f', arguments: '{"z"' } })
const stop = choice({}, 'stop')
const reset: Reading = { failure: { code: 'TRANSPORT', message: 'The connection was reset' } }

interface Row {
  readonly name: string
  readonly data: readonly string[]
  readonly result: readonly string[]
  readonly options?: Reading
}

const ends: readonly Row[] = [
  { name: 'marker without a reason after text is stop', data: [text, done], result: ['text x', 'stop'] },
  {
    name: 'marker without a reason after a whole call',
    data: [whole, done],
    result: ['call a f {"z":1}', 'tool-calls'],
  },
  {
    name: 'marker without a reason after a blank call',
    data: [blank, done],
    result: ['call a f ', 'tool-calls'],
  },
  {
    name: 'marker without a reason inside a call',
    data: [half, done],
    result: ['open tool-call', 'error STREAM_CLOSED'],
  },
  { name: 'marker alone', data: [done], result: ['error EMPTY_RESPONSE'] },
  { name: 'end of bytes without anything', data: [], result: ['error STREAM_CLOSED'] },
  {
    name: 'end of bytes with neither reason nor marker',
    data: [text],
    result: ['open text', 'error STREAM_CLOSED'],
  },
  { name: 'end of bytes after a whole call', data: [whole], result: ['open tool-call', 'error STREAM_CLOSED'] },
  { name: 'end of bytes after a reason', data: [text, stop], result: ['text x', 'stop'] },
  {
    name: 'end of bytes after a reason, whole call',
    data: [whole, stop],
    result: ['call a f {"z":1}', 'tool-calls'],
  },
  {
    name: 'end of bytes after a reason, half a call',
    data: [half, stop],
    result: ['open tool-call', 'error STREAM_CLOSED'],
  },
  {
    name: 'marker after a reason, half a call',
    data: [half, stop, done],
    result: ['call a f {"z"', 'tool-calls'],
  },
  { name: 'reset before a reason', data: [text], result: ['open text', 'error TRANSPORT'], options: reset },
  { name: 'reset after a reason', data: [text, stop], result: ['text x', 'stop'], options: reset },
  {
    name: 'reset after a reason, half a call',
    data: [half, stop],
    result: ['open tool-call', 'error STREAM_CLOSED'],
    options: reset,
  },
  {
    name: 'abort after a reason stays an abort',
    data: [text, stop],
    result: ['open text', 'aborted ABORTED'],
    options: { failure: { code: 'ABORTED', message: 'stop now' } },
  },
  {
    name: 'stop with a call is tool-calls',
    data: [whole, stop, done],
    result: ['call a f {"z":1}', 'tool-calls'],
  },
  {
    name: 'tool_calls without a call is stop',
    data: [text, choice({}, 'tool_calls'), done],
    result: ['text x', 'stop'],
  },
  {
    name: 'tool_calls without anything is empty',
    data: [choice({}, 'tool_calls'), done],
    result: ['error EMPTY_RESPONSE'],
  },
  { name: 'stop without anything is empty', data: [stop, done], result: ['error EMPTY_RESPONSE'] },
  {
    name: 'length inside a call leaves it open',
    data: [half, choice({}, 'length'), done],
    result: ['open tool-call', 'max-tokens'],
  },
  { name: 'length without a block', data: [choice({}, 'length'), done], result: ['max-tokens'] },
  { name: 'content after the reason is kept', data: [stop, text, stop, done], result: ['text x', 'stop'] },
  {
    name: 'content in the chunk of the reason',
    data: [choice({ content: 'x' }, 'stop'), done],
    result: ['text x', 'stop'],
  },
  {
    name: 'an empty reason is none',
    data: [choice({ content: 'x' }, ''), choice({}, 'length'), done],
    result: ['text x', 'max-tokens'],
  },
  {
    name: 'stop does not soften an earlier length',
    data: [text, choice({}, 'length'), stop, done],
    result: ['text x', 'max-tokens'],
  },
  {
    name: 'events after the marker are ignored',
    data: [text, stop, done, text, done],
    result: ['text x', 'stop'],
  },
  { name: 'a marker with white space', data: [text, stop, ' [DONE] ', text], result: ['text x', 'stop'] },
]

const reasons: readonly (readonly [raw: string, finish: string])[] = [
  ['stop', 'stop'],
  ['STOP', 'stop'],
  ['eos', 'stop'],
  ['function_call', 'stop'],
  ['length', 'max-tokens'],
  ['MAX_TOKENS', 'max-tokens'],
  ['model_length', 'max-tokens'],
  ['content_filter', 'error CONTENT_FILTER'],
  ['sensitive', 'error CONTENT_FILTER'],
  ['model_context_window_exceeded', 'error CONTEXT_WINDOW_EXCEEDED'],
  ['insufficient_system_resource', 'error INSUFFICIENT_SYSTEM_RESOURCE'],
  ['aborted', 'error SERVER'],
  ['error', 'error SERVER'],
  ['Strange  Value!', 'error STRANGE_VALUE'],
  ['constructor', 'error CONSTRUCTOR'],
  ['???', 'error UNKNOWN'],
]

describe('Translator, finish', () => {
  it.each(ends)('$name', ({ data, result, options }) => {
    expect(summary(translate(data, options))).toEqual(result)
  })

  it.each(reasons)('finish_reason %s becomes %s', (raw, finish) => {
    expect(summary(translate([text, choice({}, raw), done])).at(-1)).toBe(finish)
  })

  it('lets a dialect name reasons of its own', () => {
    const rules = { finishReasons: { halted: 'stop', busy: { code: 'OVERLOADED' } } } as const
    expect(summary(translate([text, choice({}, 'halted'), done], { rules })).at(-1)).toBe('stop')
    expect(summary(translate([text, choice({}, 'busy'), done], { rules })).at(-1)).toBe('error OVERLOADED')
  })

  it('writes exactly one finish, last, whatever comes after it (R1)', () => {
    const chunks = translate([text, stop, done, done, text], reset)
    expect(chunks.filter((chunk) => chunk.type === 'finish')).toHaveLength(1)
    expect(chunks.at(-1)?.type).toBe('finish')
  })
})

describe('Translator, whole answers', () => {
  const body = {
    id: 'w',
    choices: [{ index: 0, message: { role: 'assistant', content: 'Hi' }, finish_reason: 'stop' }],
  }

  it('understands an answer that came as one JSON body', () => {
    const usage = { prompt_tokens: 3, completion_tokens: 1 }
    const chunks = wholeAnswer({ ...body, usage })
    expect(summary(chunks)).toEqual(['text Hi', 'stop'])
    expect(chunks.at(-2)).toEqual({ type: 'usage', usage: { inputTokens: 3, outputTokens: 1 } })
  })

  it('understands calls in it', () => {
    const message = { content: null, tool_calls: [{ id: 'a', function: { name: 'f', arguments: '{}' } }] }
    expect(summary(wholeAnswer({ choices: [{ message, finish_reason: 'tool_calls' }] }))).toEqual([
      'call a f {}',
      'tool-calls',
    ])
  })

  it.each([
    ['a foreign envelope', { data: body, success: true }, 'MALFORMED_RESPONSE'],
    ['null', null, 'MALFORMED_RESPONSE'],
    ['a text', 'hello', 'MALFORMED_RESPONSE'],
    ['an error', { error: { message: 'No credit left' } }, 'QUOTA'],
    ['an error in an array', [{ error: { code: 503, message: 'busy' } }], 'OVERLOADED'],
  ])('fails for %s', (_name, json, code) => {
    expect(summary(wholeAnswer(json))).toEqual([`error ${code}`])
  })
})

function wholeAnswer(body: unknown): ReturnType<typeof translate> {
  return translate([], { body })
}

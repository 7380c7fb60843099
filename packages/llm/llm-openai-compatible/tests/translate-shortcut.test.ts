import type { StreamChunk } from 'dsh-llm'
import type { ServerEvent } from 'dsh-llm-http'
import fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import { createResponseRules } from '../src/response-rules.ts'
import { Translator } from '../src/translate.ts'
import { callDelta, choice, done } from './support/translate-events.ts'

function run(events: readonly ServerEvent[]): StreamChunk[] {
  const translator = new Translator({ provider: 'p', model: 'm', rules: createResponseRules() })
  const out: StreamChunk[] = []
  for (const event of events) translator.translate([event], out)
  translator.end(out)
  return out
}

/** White space in front, of another length each time: no two events have the same beginning, so all are parsed. */
function inFull(events: readonly ServerEvent[]): ServerEvent[] {
  return events.map(({ event, data }, at) => ({ event, data: ' '.repeat(at + 1) + data }))
}

const piece = fc.oneof(
  fc.constantFrom('one', 'two', '"three",', '{"a":', '1}', ''),
  fc.constantFrom('"', '\\', '\\"', '"content":"x"', '\ud83d', '\ude00', '{}', '\n', 'a longer piece of text'),
  fc.string({ unit: 'binary', maxLength: 20 }),
)

const head = fc.record({
  index: fc.constantFrom(0, 1),
  id: fc.constantFrom('a', 'b', 'c'),
  function: fc.record({ name: fc.constantFrom('f', 'g'), arguments: fc.constantFrom('', '{"a":') }),
})
const more = fc.record({ index: fc.constantFrom(0, 1), function: fc.record({ arguments: piece }) })
const odd = fc.record(
  {
    index: fc.constantFrom(0, 1),
    id: fc.constantFrom('a', 'b'),
    function: fc.record({ name: fc.constantFrom('f', 'g'), arguments: piece }, { requiredKeys: ['arguments'] }),
  },
  { requiredKeys: ['function'] },
)

const delta = fc.oneof(
  { weight: 6, arbitrary: fc.record({ content: piece }) },
  { weight: 4, arbitrary: fc.record({ content: fc.constant(null), reasoning_content: piece }) },
  { weight: 1, arbitrary: fc.record({ reasoning: piece, content: piece }) },
  { weight: 1, arbitrary: fc.record({ content: piece, refusal: fc.constantFrom(null, 'no') }) },
  { weight: 2, arbitrary: head.map((entry) => ({ tool_calls: [entry] })) },
  { weight: 5, arbitrary: more.map((entry) => ({ tool_calls: [entry] })) },
  {
    weight: 2,
    arbitrary: fc.array(odd, { minLength: 1, maxLength: 2 }).map((entries) => ({ tool_calls: entries })),
  },
)

const mostly = <Value>(common: Value, ...seldom: readonly Value[]): fc.Arbitrary<Value> =>
  fc.oneof({ weight: 15, arbitrary: fc.constant(common) }, { weight: 1, arbitrary: fc.constantFrom(...seldom) })

const usage = (tokens: number): object => ({ prompt_tokens: tokens, completion_tokens: tokens })

/** The fields in front of and behind the delta, which in one stream are mostly the same. */
const chunk = fc.record({
  decoy: mostly<unknown>({ content: 'd1', arguments: '"content":"' }, { content: 'd2' }, undefined),
  id: mostly('c1', 'c2', ''),
  choices: fc.tuple(
    fc.record({
      index: mostly<unknown>(0, 1, undefined),
      delta,
      finish_reason: mostly<unknown>(null, 'stop', 'length', ''),
    }),
  ),
  usage: mostly<unknown>(null, usage(3), usage(4)),
  error: mostly<unknown>(null, { message: 'gone' }),
})

const broken = fc.constantFrom(
  'oops',
  '[]',
  'null',
  '{"choices":[{"index":0,"delta":{"content":"a","content":"b"}}]}',
  done,
)

const events = fc
  .array(
    fc.oneof(
      { weight: 60, arbitrary: chunk.map((value) => JSON.stringify(value)) },
      { weight: 1, arbitrary: broken },
    ),
    {
      minLength: 5,
      maxLength: 40,
    },
  )
  .map((data) => data.map((text) => ({ data: text })))

describe('DeltaShortcut', () => {
  it('changes no chunk of any stream', () => {
    fc.assert(
      fc.property(events, (data) => {
        expect(run(data)).toEqual(run(inFull(data)))
      }),
      { numRuns: 1500 },
    )
  })

  it.each([
    ['text', (text: string) => choice({ content: text, reasoning_content: null })],
    ['reasoning', (text: string) => choice({ content: null, reasoning_content: text })],
    ['arguments', (text: string) => callDelta({ index: 0, function: { arguments: text } })],
  ])('parses the envelope of %s once, and only the pieces after it', (_name, toData) => {
    const head = callDelta({ index: 0, id: 'a', function: { name: 'f', arguments: '[' } })
    const data = [head, ...Array.from({ length: 50 }, (_, at) => toData(`"${at}",`))]
    const parse = vi.spyOn(JSON, 'parse')
    run(data.map((text) => ({ data: text })))
    const envelopes = parse.mock.calls.filter(([text]) => text.startsWith('{'))
    parse.mockRestore()
    expect(envelopes.length).toBeLessThan(5)
  })

  it('does not take the head of a call for its continuation', () => {
    const head = (id: string, text: string): string =>
      callDelta({ index: 0, id, function: { name: 'f', arguments: text } })
    const data = [head('a', '{"x":1}'), head('b', '{"x":2}'), head('a', '{"x":3}'), choice({}, 'stop'), done]
    const told = data.map((text) => ({ data: text }))
    expect(run(told)).toEqual(run(inFull(told)))
    expect(run(told).filter((part) => part.type === 'block-end')).toHaveLength(3)
  })

  it('gives up on a stream whose chunks all differ, and still reads it', () => {
    const data = Array.from({ length: 100 }, (_, at) =>
      choice({ content: 'x' }, null, { padding: 'y'.repeat(at) }),
    )
    const texts = run(data.map((text) => ({ data: text }))).filter((part) => part.type === 'text-delta')
    expect(texts).toHaveLength(100)
  })
})

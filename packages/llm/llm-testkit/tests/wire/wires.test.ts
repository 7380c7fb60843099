import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { streamArbitraries } from '../../src/fast-check.ts'
import { anthropicMessages, chatCompletions, gemini, openaiResponses, toPieces } from '../../src/index.ts'
import { eventsOf } from './frames.ts'

interface Said {
  readonly reasoning: string
  readonly text: string
  readonly calls: readonly string[]
}

type Fields = Readonly<Record<string, unknown>>

/** The JSON of every event, named or not. */
function events(frames: readonly string[]): readonly Fields[] {
  const unnamed = frames.map((frame) => frame.replace(/^event: .+\n/, ''))
  return eventsOf(unnamed).filter((event) => event !== '[DONE]') as readonly Fields[]
}

/** Every string at `path` within the values; a list is entered. */
function textsAt(values: readonly unknown[], path: string): string[] {
  const found = path
    .split('.')
    .reduce<readonly unknown[]>(
      (at, field) => at.flatMap((value) => (value as Fields | null | undefined)?.[field] ?? []),
      values,
    )
  return found.filter((value) => typeof value === 'string')
}

/** The deltas of arguments, joined by the number that says to which call they belong. */
function argumentsBy(values: readonly Fields[], index: string, path: string): string[] {
  const calls = Map.groupBy(values, (value) => value[index])
  return [...calls.values()].map((deltas) => textsAt(deltas, path).join(''))
}

const readChat = (frames: readonly string[]): Said => {
  const deltas = events(frames).flatMap(({ choices }) =>
    (choices as Fields[]).map(({ delta }) => delta as Fields),
  )
  const calls = deltas.flatMap((delta) => (delta['tool_calls'] ?? []) as Fields[])
  return {
    reasoning: textsAt(deltas, 'reasoning_content').join(''),
    text: textsAt(deltas, 'content').join(''),
    calls: argumentsBy(calls, 'index', 'function.arguments'),
  }
}

const readResponses = (frames: readonly string[]): Said => {
  const all = events(frames)
  const of = (type: string): Fields[] => all.filter((event) => event['type'] === `response.${type}`)
  const added = of('output_item.added').filter(({ item }) => (item as Fields)['type'] === 'function_call')
  const deltas = of('function_call_arguments.delta')
  return {
    reasoning: textsAt(of('reasoning_summary_text.delta'), 'delta').join(''),
    text: textsAt(of('output_text.delta'), 'delta').join(''),
    calls: argumentsBy([...added, ...deltas], 'output_index', 'delta'),
  }
}

const readAnthropic = (frames: readonly string[]): Said => {
  const all = events(frames)
  const calls = all.filter((event) => textsAt([event], 'delta.type').includes('input_json_delta'))
  return {
    reasoning: textsAt(all, 'delta.thinking').join(''),
    text: textsAt(all, 'delta.text').join(''),
    calls: argumentsBy(calls, 'index', 'delta.partial_json'),
  }
}

const readGemini = (frames: readonly string[]): Said => {
  const parts = events(frames).flatMap(({ candidates }) => {
    const [candidate] = candidates as { content?: { parts: Fields[] } }[]
    return candidate?.content?.parts ?? []
  })
  const calls = parts.flatMap(({ functionCall }) =>
    functionCall === undefined ? [] : [functionCall as Fields],
  )
  return {
    reasoning: textsAt(
      parts.filter(({ thought }) => thought === true),
      'text',
    ).join(''),
    text: textsAt(
      parts.filter(({ thought }) => thought !== true),
      'text',
    ).join(''),
    calls: calls.map(({ args }) => (args === undefined ? '' : JSON.stringify(args))),
  }
}

/** Arguments as an object is all that Gemini's wire keeps of them. */
const sameText = (text: string): string => text
const sameObject = (text: string): string => (text === '' ? '' : JSON.stringify(JSON.parse(text)))

describe.each([
  ['chatCompletions', chatCompletions, readChat, sameText],
  ['openaiResponses', openaiResponses, readResponses, sameText],
  ['anthropicMessages', anthropicMessages, readAnthropic, sameText],
  ['gemini', gemini, readGemini, sameObject],
])('%s', (_, render, read, kept) => {
  const { answer: answers } = streamArbitraries()

  it('gives the same bytes for the same answer', () => {
    fc.assert(
      fc.property(answers, (answer) => {
        expect(render(structuredClone(answer))).toEqual(render(answer))
      }),
    )
  })

  it('says in its pieces all that the answer says', () => {
    fc.assert(
      fc.property(answers, (answer) => {
        expect(read(render(answer))).toEqual({
          reasoning: toPieces(answer.reasoning).join(''),
          text: toPieces(answer.text).join(''),
          calls: (answer.calls ?? []).map((call) => kept(toPieces(call.arguments).join(''))),
        })
      }),
    )
  })

  it('tells two calls that are alike apart', () => {
    const call = { name: 'now', arguments: '{}' }
    const ids = render({ calls: [call, call] })
      .join('')
      .match(/(?<="(?:call_id|id)":")(?:call_|toolu_|)\w{24}(?=")/g)
    expect(new Set(ids).size).toBe(2)
  })
})

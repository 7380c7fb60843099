import { describe, expect, it } from 'vitest'
import { chatCompletions, type ChatDialectName, chatDialects } from '../../src/index.ts'
import { eventsOf } from './frames.ts'

const answer = {
  reasoning: 'Hm',
  calls: [
    { id: 'a', name: 'look', arguments: ['{', '}'] },
    { id: 'b', name: 'look', arguments: '' },
  ],
  usage: { inputTokens: 10, outputTokens: 9, reasoningTokens: 7 },
}

interface Event {
  readonly choices: readonly { readonly delta: Readonly<Record<string, unknown>> }[]
  readonly usage?: Readonly<Record<string, unknown>> | null
}

function events(name: ChatDialectName): readonly Event[] {
  return eventsOf(chatCompletions(answer, chatDialects[name])).filter((event) => event !== '[DONE]') as Event[]
}

function calls(name: ChatDialectName): readonly object[] {
  return events(name).flatMap(({ choices }) => (choices[0]?.delta['tool_calls'] ?? []) as object[])
}

describe('chatDialects', () => {
  it.each<[ChatDialectName, string]>([
    ['deepseek', 'reasoning_content'],
    ['openrouter', 'reasoning'],
    ['vllm', 'reasoning'],
    ['groq', 'reasoning'],
    ['generic', 'reasoning_content'],
  ])('%s tells reasoning in %s', (name, field) => {
    expect(events(name).some(({ choices }) => choices[0]?.delta[field] === 'Hm')).toBe(true)
  })

  it('mistral tells reasoning as a part of its content', () => {
    const thinking = { type: 'thinking', thinking: [{ type: 'text', text: 'Hm' }] }
    expect(events('mistral').map(({ choices }) => choices[0]?.delta['content'])).toContainEqual([thinking])
  })

  it.each<[ChatDialectName, readonly (number | undefined)[]]>([
    ['openai', [0, 0, 0, 1]],
    ['groq', [0, 1]],
    ['ollama', [0, 0]],
    ['gemini', [undefined, undefined]],
  ])('%s numbers the frames of two calls %j', (name, indexes) => {
    expect(calls(name).map((call) => Reflect.get(call, 'index'))).toEqual(indexes)
  })

  it.each<[ChatDialectName, number, number | undefined]>([
    ['openai', 9, 7],
    ['xai', 2, 7],
    ['gemini', 2, undefined],
  ])('%s counts %i completion tokens and %s of reasoning, 19 in all', (name, completion, reasoning) => {
    const usage = events(name).findLast((event) => event.usage)?.usage
    const details = usage?.['completion_tokens_details'] as { readonly reasoning_tokens?: number } | undefined
    expect([usage?.['completion_tokens'], details?.reasoning_tokens, usage?.['total_tokens']]).toEqual([
      completion,
      reasoning,
      19,
    ])
  })
})

import { chatCompletions } from 'dsh-llm-testkit'

/** The good answer to a call, as the server sends it and as the caller must get it. */
export interface DrillAnswer {
  readonly frames: readonly string[]
  readonly text: string
  /** JSON of the content blocks of the whole message. */
  readonly content: string
}

/** A text of its own for each call; every third reasons before, every fifth calls a tool after it. */
export function answerTo(call: number): DrillAnswer {
  const pieces = Array.from({ length: 12 }, (_, at) => `${call}:${at * call} `)
  const thoughts = call % 3 === 0 ? pieces.map((piece) => `hm ${piece}`) : undefined
  const ids = { id: `call_${call}`, name: 'look' }
  const steps = ['{"of":', `${call}`, ',"and":"', ...pieces, '"}']
  const calls = call % 5 === 0 ? [{ ...ids, arguments: steps }] : undefined
  const text = pieces.join('')
  const content = [
    ...(thoughts === undefined ? [] : [{ type: 'reasoning', text: thoughts.join('') }]),
    { type: 'text', text },
    ...(calls === undefined ? [] : [{ type: 'tool-call', ...ids, arguments: steps.join('') }]),
  ]
  const usage = { inputTokens: 5, outputTokens: 12 }
  return {
    frames: chatCompletions({ reasoning: thoughts, text: pieces, calls, usage }),
    text,
    content: toComparable(content),
  }
}

/** Blocks as text, whatever the order of their fields. */
export function toComparable(blocks: readonly object[]): string {
  const sorted = blocks.map((block) =>
    Object.entries(block).toSorted(([left], [right]) => left.localeCompare(right)),
  )
  return JSON.stringify(sorted)
}

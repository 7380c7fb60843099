import { describe, expect, it } from 'vitest'
import type { Answer } from 'dsh-llm-testkit'
import { answers, complete, frame, kept } from './support/four-answers.ts'
import { ask } from './support/whole-stack.ts'

interface Fault {
  readonly name: string
  /** The answer that goes wrong after these frames. */
  readonly answer: (frames: readonly string[]) => Answer
  readonly code: string
  /** Who ends the exchange, where it can only be one of the two. */
  readonly endedBy?: 'client' | undefined
}

const endless = function* (frames: readonly string[]): Generator<string> {
  yield* frames
  yield 'data: '
  for (;;) yield 'x'.repeat(1000)
}

const faults: readonly Fault[] = [
  { name: 'a reset', answer: (chunks) => ({ chunks, end: 'reset' }), code: 'TRANSPORT' },
  { name: 'a cut', answer: (chunks) => ({ chunks, end: 'cut' }), code: 'TRANSPORT' },
  { name: 'a clean end', answer: (chunks) => ({ chunks, end: 'close' }), code: 'STREAM_CLOSED' },
  {
    name: 'an error event',
    answer: (chunks) => ({
      chunks: [...chunks, frame('{"error":{"code":503,"message":"busy"}}')],
      end: 'hang',
    }),
    code: 'OVERLOADED',
    endedBy: 'client',
  },
  {
    name: 'rubbish',
    answer: (chunks) => ({ chunks: [...chunks, frame('{"choi')], end: 'hang' }),
    code: 'MALFORMED_RESPONSE',
    endedBy: 'client',
  },
  {
    name: 'an event without end',
    answer: (chunks) => ({ chunks: endless(chunks), batched: true }),
    code: 'RESPONSE_TOO_LARGE',
    endedBy: 'client',
  },
]

const positions = Object.entries(answers).flatMap(([kind, data]) =>
  data.slice(0, -1).map((_, count) => ({ kind, data, count, blocks: kept[kind]?.[count] ?? [] })),
)
const rows = positions.flatMap((position) => faults.map((fault) => ({ ...position, ...fault })))

describe('an answer that goes wrong', () => {
  it.each(rows)(
    '$kind, $name after $count events is $code',
    async ({ data, count, answer, blocks, code, endedBy }) => {
      const config = { limits: { maxEventBytes: 2000 } }
      const outcome = await ask(answer(data.slice(0, count).map(frame)), { config })
      expect(outcome.lines).toEqual([...blocks, `error ${code}`])
      expect(outcome.endedBy).toBe(endedBy ?? 'server')
    },
  )

  it.each(Object.keys(answers))(
    '%s, no fault after the finish reason makes it less than complete',
    async (kind) => {
      const chunks = (answers[kind] ?? []).slice(0, -1).map(frame)
      for (const end of ['reset', 'cut', 'close'] as const) {
        expect((await ask({ chunks, end })).lines).toEqual(complete[kind])
      }
    },
  )
})

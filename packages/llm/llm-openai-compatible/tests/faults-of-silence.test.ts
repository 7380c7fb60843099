import { describe, expect, it } from 'vitest'
import { answers, complete, frame, kept } from './support/four-answers.ts'
import { choice, translate } from './support/translate-events.ts'
import { ask, StoppedClock } from './support/whole-stack.ts'

const positions = Object.entries(answers).flatMap(([kind, data]) =>
  data.slice(0, -1).map((_, count) => ({ kind, data, count, blocks: kept[kind]?.[count] ?? [] })),
)

describe('silence', () => {
  it('before the headers is TIMEOUT', async () => {
    const clock = new StoppedClock()
    const mute = () => {
      clock.run()
      return { raw: true, end: 'hang' } as const
    }
    const { lines, failure, endedBy } = await ask(mute, { config: { clock } })
    expect(lines).toEqual(['error TIMEOUT'])
    expect(failure?.message).toMatch(/within 600000 ms \(limit firstContentMs\)/)
    expect([endedBy, clock.timerCount]).toEqual(['client', 0])
  })

  it.each(positions)('after $count events of $kind is TIMEOUT', async ({ data, count, blocks }) => {
    const clock = new StoppedClock()
    const sent = data.slice(0, count)
    const cut = { code: 'TRANSPORT', message: 'cut' }
    const chunkCount = translate(sent, { failure: cut }).length - 1
    const { lines, failure, endedBy } = await ask(
      { chunks: sent.map(frame), end: 'hang' },
      {
        config: { clock, onResponse: () => chunkCount === 0 && clock.run() },
        onChunk: (seen) => seen === chunkCount && clock.run(),
      },
    )
    expect(lines).toEqual([...blocks, 'error TIMEOUT'])
    expect(failure?.message).toMatch(count === 0 ? /limit firstContentMs/ : /limit idleBytesMs/)
    expect([endedBy, clock.timerCount]).toEqual(['client', 0])
  })

  it.each(Object.keys(answers))('after the finish reason of %s leaves it complete', async (kind) => {
    const clock = new StoppedClock()
    const sent = (answers[kind] ?? []).slice(0, -1)
    const { lines } = await ask(
      // The clock moves when the finish reason is on its way: what comes later is nothing.
      { chunks: withEnd(sent.map(frame), () => clock.run()), end: 'hang' },
      { config: { clock, limits: { firstContentMs: 0 } } },
    )
    expect(lines).toEqual(complete[kind])
  })
})

function* withEnd(frames: readonly string[], atEnd: () => void): Generator<string> {
  yield* frames
  atEnd()
}

const heartbeats = [
  ['comments', ': keep-alive\n\n'],
  ['events without choices', frame('{"choices":[]}')],
  ['events with a blank delta', frame(choice({ role: 'assistant', content: '' }))],
  ['named events', 'event: ping\ndata: 17\n\n'],
  ['usage so far', frame('{"choices":[],"usage":{"prompt_tokens":9,"completion_tokens":1}}')],
] as const

describe.each(heartbeats)('signs of life in the form of %s', (_name, heartbeat) => {
  /** Fifty of them, 100 s apart, and then the rest of an answer that nobody should wait for any more. */
  function* beat(clock: StoppedClock, before: readonly string[]): Generator<string> {
    yield* before.map(frame)
    for (let count = 0; count < 50; count += 1) {
      clock.advance(100_000)
      yield heartbeat
    }
    yield* (answers['text'] ?? []).map(frame)
  }

  it.each([
    ['before any content', [], 'firstContentMs', []],
    ['after content', [choice({ content: 'a' })], 'idleContentMs', ['open text']],
  ] as const)('%s are no content', async (_when, before, limit, blocks) => {
    const clock = new StoppedClock()
    const config = { clock, limits: { idleBytesMs: 0 } }
    const { lines, failure, endedBy } = await ask({ chunks: beat(clock, before) }, { config })
    expect(lines.slice(0, -1).filter((line) => !line.startsWith('usage'))).toEqual(blocks)
    expect(lines.at(-1)).toBe('error TIMEOUT')
    expect(failure?.message).toContain(`(limit ${limit})`)
    expect(endedBy).toBe('client')
  })
})

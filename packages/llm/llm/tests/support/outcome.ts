import type { StreamChunk } from '../../src/index.ts'
import { drainMicrotasks, type FakeClock } from './fake-clock.ts'

/** How a stream went for its reader. */
export interface Outcome {
  readonly chunks: StreamChunk[]
  /** `finished`, `threw`, `ended` without a finish, or `hangs`. */
  state: 'finished' | 'threw' | 'ended' | 'hangs'
  error?: unknown
}

/**
 * Reads a stream to its end, or until nothing moves any more: then the clock is moved by a second, five times at most.
 * What is still waiting after that hangs.
 */
export async function read(stream: AsyncIterable<StreamChunk>, clock?: FakeClock): Promise<Outcome> {
  const outcome: Outcome = { chunks: [], state: 'hangs' }
  const reading = readInto(stream, outcome)
  void reading
  for (let second = 0; second < 6 && outcome.state === 'hangs'; second += 1) {
    await settleWhileMoving(outcome)
    if (outcome.state === 'hangs') await clock?.advance(1_000)
  }
  return outcome
}

async function settleWhileMoving(outcome: Outcome): Promise<void> {
  let seen = -1
  while (outcome.state === 'hangs' && seen !== outcome.chunks.length) {
    seen = outcome.chunks.length
    await drainMicrotasks()
  }
}

async function readInto(stream: AsyncIterable<StreamChunk>, outcome: Outcome): Promise<void> {
  try {
    for await (const chunk of stream) outcome.chunks.push(chunk)
    outcome.state = outcome.chunks.at(-1)?.type === 'finish' ? 'finished' : 'ended'
  } catch (error) {
    outcome.state = 'threw'
    outcome.error = error
  }
}

/** The end of a stream in a few words: `stop`, `error SERVER`, `threw`, `hangs`. */
export function summary({ state, chunks }: Outcome): string {
  const finishes = chunks.filter((chunk) => chunk.type === 'finish')
  const last = finishes[0]
  if (state !== 'finished' || last === undefined || finishes.length > 1) return state
  const failure = failureOf(chunks)
  return failure === undefined ? last.reason.kind : `${last.reason.kind} ${failure.code}`
}

/** The failure of the finish, if it has one. */
export function failureOf(chunks: readonly StreamChunk[]): { code: string; message: string } | undefined {
  const last = chunks.at(-1)
  return last?.type === 'finish' && 'failure' in last.reason ? last.reason.failure : undefined
}

/** All text of the answer. */
export function textOf(chunks: readonly StreamChunk[]): string {
  return chunks.map((chunk) => (chunk.type === 'text-delta' ? chunk.text : '')).join('')
}

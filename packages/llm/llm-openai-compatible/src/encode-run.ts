import type { Message } from 'dsh-llm'
import type { OpenedCall } from './call-ids.ts'
import type { Bytes } from './encode-message.ts'

/** The messages of one request as one piece, without the instructions and without a comma in front. */
export interface EncodedRun {
  readonly messages: readonly Message[]
  readonly bytes: Bytes
  readonly calls: readonly OpenedCall[]
  /** Where another request may go on, from front to back. */
  readonly marks: readonly RunMark[]
}

/** How much stands before a point of a run which nothing behind it can change. */
export interface RunMark {
  readonly messages: number
  readonly calls: number
  readonly bytes: number
}

/** The part of a run with which another request begins. */
export interface RunStart extends Pick<EncodedRun, 'bytes' | 'calls' | 'marks'> {
  readonly run: EncodedRun
  /** How many messages it covers, at least one. */
  readonly count: number
}

/** The latest runs of one profile by their first message, with which they die; newest first. */
export type KeptRuns = WeakMap<Message, readonly EncodedRun[]>

/** Each holds a whole body, so conversations that begin alike share a few. */
export const MAX_RUNS = 8

/** The longest part of a kept run that these messages begin with; telling costs one pointer comparison a message. */
export function findStart(messages: readonly Message[], kept: KeptRuns): RunStart | undefined {
  const [first] = messages
  const runs = first === undefined ? undefined : kept.get(first)
  let best: EncodedRun | undefined
  let most = 0
  for (const run of runs ?? []) {
    const shared = countShared(messages, run.messages)
    if (shared <= most) continue
    best = run
    most = shared
  }
  return best === undefined ? undefined : cutRun(best, most)
}

function countShared(messages: readonly Message[], others: readonly Message[]): number {
  const most = Math.min(messages.length, others.length)
  let count = 0
  while (count < most && messages[count] === others[count]) count += 1
  return count
}

/** The run up to its last mark within so many messages. */
function cutRun(run: EncodedRun, shared: number): RunStart | undefined {
  const at = run.marks.findLastIndex(({ messages }) => messages <= shared)
  const mark = run.marks[at]
  if (mark === undefined) return undefined
  return {
    run,
    count: mark.messages,
    bytes: run.bytes.subarray(0, mark.bytes),
    calls: run.calls.slice(0, mark.calls),
    marks: run.marks.slice(0, at + 1),
  }
}

/**
 * Keeps a run, if all its messages are frozen. It takes the place of the one it went on from unless more than half of
 * that would be lost, so a growing or retried conversation has one run, and at most `MAX_RUNS` begin with one message.
 */
export function keepRun(run: EncodedRun, start: RunStart | undefined, kept: KeptRuns): void {
  const [first] = run.messages
  if (first === undefined || !run.messages.slice(start?.count ?? 0).every(Object.isFrozen)) return
  const replaced = start !== undefined && start.count * 2 >= start.run.messages.length ? start.run : undefined
  const others = (kept.get(first) ?? []).filter((other) => other !== replaced)
  kept.set(first, [run, ...others].slice(0, MAX_RUNS))
}

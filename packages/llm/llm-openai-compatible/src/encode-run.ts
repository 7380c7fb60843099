import type { Message } from 'dsh-llm'
import type { Bytes } from './encode-message.ts'

/** The messages of one request as one piece, without the instructions and without a comma in front. */
export interface EncodedRun {
  readonly messages: readonly Message[]
  readonly bytes: Bytes
  /** For each message: where the bytes of all up to it end, if nothing later can change them, else 0 or less. */
  readonly ends: readonly number[]
}

/** Runs under their first and their last message. A longer run takes the place of the one it contains. */
export type KeptRuns = WeakMap<Message, EncodedRun>

/** The part of a run that another request begins with. */
export interface RunStart {
  readonly run: EncodedRun
  /** How many messages it covers, all of them settled; at least one. */
  readonly count: number
  readonly bytes: Bytes
}

/** How far back from the end a run's last message is looked for; behind that, the first message leads to the latest run. */
const MAX_NEW_MESSAGES = 100

/** The longest part of a kept run that these messages begin with; telling costs one pointer comparison a message. */
export function findStart(messages: readonly Message[], kept: KeptRuns): RunStart | undefined {
  const run = findRun(messages, kept)
  if (run === undefined) return undefined
  for (let count = countShared(messages, run.messages); count > 0; count -= 1) {
    const end = run.ends[count - 1] ?? 0
    if (end > 0) return { run, count, bytes: run.bytes.subarray(0, end) }
  }
  return undefined
}

function findRun(messages: readonly Message[], kept: KeptRuns): EncodedRun | undefined {
  const lowest = Math.max(0, messages.length - MAX_NEW_MESSAGES)
  for (let index = messages.length - 1; index >= lowest; index -= 1) {
    const message = messages[index]
    const run = message === undefined ? undefined : kept.get(message)
    if (run !== undefined) return run
  }
  const [first] = messages
  return first === undefined ? undefined : kept.get(first)
}

function countShared(messages: readonly Message[], others: readonly Message[]): number {
  const most = Math.min(messages.length, others.length)
  let count = 0
  while (count < most && messages[count] === others[count]) count += 1
  return count
}

/** Keeps a run, if all its messages are frozen, and drops the one it went on from, if it contains all of that. */
export function keepRun(run: EncodedRun, start: RunStart | undefined, kept: KeptRuns): void {
  const { messages, bytes } = run
  const first = messages[0]
  const last = messages.at(-1)
  if (first === undefined || last === undefined || bytes.length === 0) return
  if (!messages.slice(start?.count ?? 0).every(Object.isFrozen)) return
  const lastBefore = start?.run.messages.at(-1)
  if (lastBefore !== undefined && lastBefore === messages[(start?.run.messages.length ?? 0) - 1])
    kept.delete(lastBefore)
  kept.set(last, run)
  kept.set(first, run)
}

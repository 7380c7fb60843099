import { Grammar, type JsonObject, LlmError, type StreamChunk } from 'dsh-llm'
import * as v from 'valibot'
import { parseJson, toJson } from './json-line.ts'

/** A chunk and the milliseconds between the start of its run and the chunk. */
export type TimedChunk = readonly [atMs: number, chunk: StreamChunk]

/** A canonical request, redacted and without ignored parts. */
export type RecordedRequest = JsonObject & { readonly provider: string; readonly model: string }

/** One run of an adapter, as a line of a recording holds it. */
export interface RecordedCall {
  /** Of `request`; for people and tools, matching computes it anew under its own rules. */
  readonly fingerprint: string
  /** Number of its session by first appearance, from 1; 0 for calls without one. */
  readonly session: number
  /** Number of the call within its session, from 1, by order of dispatch. */
  readonly call: number
  readonly request: RecordedRequest
  readonly chunks: readonly TimedChunk[]
  /** `left` when the consumer went before the finish; its chunks end then without one. */
  readonly outcome: 'finish' | 'left'
}

/** First line of every recording; its version grows when older readers could not understand the file. */
export const HEADER = '{"format":"dsh-llm-recording","version":1}'

const natural = v.pipe(v.number(), v.safeInteger(), v.minValue(0))
const filled = v.pipe(v.string(), v.minLength(1))
const failing = v.looseObject({
  kind: v.picklist(['error', 'aborted']),
  failure: v.looseObject({ message: v.string(), code: filled }),
})
const ending = v.looseObject({ kind: v.pipe(filled, v.notValues(['error', 'aborted'])) })

/** As much as replaying relies on; what else a chunk carries is given back as it is. */
const chunkSchema = v.variant('type', [
  v.looseObject({ type: v.literal('block-start'), index: natural, blockType: filled }),
  v.looseObject({ type: v.picklist(['text-delta', 'reasoning-delta']), index: natural, text: v.string() }),
  v.looseObject({ type: v.literal('tool-call-delta'), index: natural, id: filled, argumentsDelta: v.string() }),
  v.looseObject({ type: v.literal('block-end'), index: natural, block: v.looseObject({ type: filled }) }),
  v.looseObject({ type: v.literal('usage'), usage: v.looseObject({}) }),
  v.looseObject({ type: v.literal('finish'), reason: v.union([failing, ending]) }),
])

const callSchema = v.pipe(
  v.strictObject({
    fingerprint: filled,
    session: natural,
    call: natural,
    request: v.looseObject({ provider: filled, model: v.string(), messages: v.array(v.unknown()) }),
    chunks: v.array(v.strictTuple([v.pipe(v.number(), v.minValue(0)), chunkSchema])),
    outcome: v.picklist(['finish', 'left']),
  }),
  v.check(({ chunks, outcome }) => {
    const finishes = chunks.filter(([, { type }]) => type === 'finish').length
    if (outcome === 'left') return finishes === 0
    return finishes === 1 && chunks.at(-1)?.[1].type === 'finish'
  }, 'a call with outcome "finish" has one, last, and one that was left has none'),
)

/** One call as a line, without the line break; the order of its parts never changes. */
export function toLine({ fingerprint, session, call, request, chunks, outcome }: RecordedCall): string {
  return toJson({ fingerprint, session, call, request, chunks, outcome })
}

/** Reads a line; throws `INVALID_RECORDING` saying what is wrong with it, without naming it. */
export function parseCall(line: string): RecordedCall {
  const parsed: unknown = parseJson(line)
  const checked = v.safeParse(callSchema, parsed)
  if (!checked.success) {
    const [issue] = checked.issues
    throw invalid(`${v.getDotPath(issue) ?? 'the line'}: ${issue.message}`)
  }
  // The schema's own output lacks members of odd names.
  const call = parsed as RecordedCall
  assertGrammar(call)
  return call
}

/** Replayed chunks pass no adapter boundary, and a text that was edited stands twice: in its deltas and in its block. */
function assertGrammar({ chunks }: RecordedCall): void {
  const grammar = new Grammar()
  for (const [at, [, chunk]] of chunks.entries()) {
    const fault = grammar.check(chunk)
    if (fault !== undefined) throw invalid(`chunks.${at} breaks rule ${fault.rule}: ${fault.message}`)
  }
}

/** Throws `INVALID_RECORDING` unless the line is the header of a version that is understood. */
export function assertHeader(line: string): void {
  const { format, version } = readHeader(line)
  if (format !== 'dsh-llm-recording')
    throw invalid('it is no header of a recording, which must be the first line')
  if (version !== 1)
    throw invalid(
      `version ${JSON.stringify(version)} is not understood, only 1 is, so it may take a newer dsh-llm-replay`,
    )
}

function readHeader(line: string): Readonly<Record<string, unknown>> {
  try {
    const header = parseJson(withoutMark(line))
    return typeof header === 'object' && header !== null ? Object.fromEntries(Object.entries(header)) : {}
  } catch {
    return {}
  }
}

/** Some editors begin a file with a mark of their own. */
export function withoutMark(text: string): string {
  return text.replace(/^\uFEFF/, '')
}

function invalid(why: string): LlmError {
  return new LlmError(why, 'INVALID_RECORDING')
}

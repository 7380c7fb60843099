import { type Clock, type GenerateOptions, LlmError, type StreamChunk } from 'dsh-llm'
import type { RecordedCall, TimedChunk } from './file/recorded-call.ts'
import type { RecordingFile } from './file/recording-file.ts'
import type { RequestKey, RequestKeys } from './match/request-key.ts'
import type { SessionNumbers } from './match/session-numbers.ts'
import { chunksLeak, redactChunks } from './redact/redact-chunks.ts'
import type { Redactor } from './redact/redactor.ts'
import type { ReplayLog } from './replay-report.ts'

/** What a recorder works with; it owns none of it. */
export interface RecorderOptions {
  readonly file: RecordingFile
  readonly keys: RequestKeys
  readonly redactor: Redactor
  readonly sessions: SessionNumbers
  readonly clock: Clock
  readonly log: ReplayLog
  readonly reportError: (error: unknown) => void
  /** Whether answers are added to a recording, so that those of nobody are not wanted. */
  readonly fillsGaps: boolean
}

/** One run while it is recorded; its numbers are final even if others end first. */
interface Run {
  readonly key: RequestKey
  readonly session: number
  readonly call: number
}

/** Writes runs of adapters. Whatever goes wrong with the writing, the call itself does not notice. */
export class Recorder {
  readonly #options: RecorderOptions

  constructor(options: RecorderOptions) {
    this.#options = options
  }

  /** The stream as it is; its call is in the file before its finish is handed on, or once the consumer left. */
  async *record(
    request: GenerateOptions,
    stream: AsyncIterable<StreamChunk>,
    key?: RequestKey,
  ): AsyncGenerator<StreamChunk> {
    // What is aborted before it begins reaches no adapter, so there is nothing to record.
    const run = request.signal?.aborted === true ? undefined : this.#begin(request, key)
    if (run === undefined) return yield* stream
    const { clock } = this.#options
    const startedAt = clock.now()
    const chunks: TimedChunk[] = []
    let isOver = false
    try {
      for await (const chunk of stream) {
        chunks.push([Math.max(0, Math.round(clock.now() - startedAt)), chunk])
        if (chunk.type === 'finish') {
          isOver = true
          this.#write(run, chunks, 'finish')
        }
        yield chunk
      }
      isOver = true
    } catch (error) {
      // A listener further in has failed; what it would have said nobody can know.
      isOver = true
      throw error
    } finally {
      if (!isOver) this.#write(run, chunks, 'left')
    }
  }

  /** Numbers are given at the first pull, so parallel calls are numbered in the order of their dispatch. */
  #begin(request: GenerateOptions, known?: RequestKey): Run | undefined {
    const { keys, sessions } = this.#options
    try {
      const key = known ?? keys.toKey(request)
      const session = sessions.numberOf(request.sessionId)
      return { key, session, call: sessions.nextCall(session) }
    } catch (error) {
      this.#drop(error)
      return undefined
    }
  }

  /** Synchronous, so lines of parallel calls cannot mix, and one that fails costs only itself. */
  #write(
    { key: { fingerprint, request }, session, call }: Run,
    chunks: readonly TimedChunk[],
    outcome: RecordedCall['outcome'],
  ): void {
    const { file, redactor, log, fillsGaps } = this.#options
    try {
      if (fillsGaps) assertAsked(chunks)
      const redacted = redactChunks(chunks, redactor)
      const recorded: RecordedCall = { fingerprint, session, call, request, chunks: redacted, outcome }
      this.#assertClean(recorded)
      file.append(recorded)
      log.recorded()
    } catch (error) {
      this.#drop(error)
    }
  }

  /** Fail-closed: redaction may have a hole or a hook that makes one, and a file is for others to read. */
  #assertClean({ request, chunks, session, call }: RecordedCall): void {
    const { redactor } = this.#options
    if (!redactor.leaks(request, 'request') && !chunksLeak(chunks, redactor)) return
    throw new LlmError(
      `Call ${call} of session ${session} is not recorded: it still holds what looks like a key after it was redacted; mend redact, most likely its hook`,
      'INVALID_RECORDING',
    )
  }

  /** The text of a fault of ours holds no secret; that of a hook is the user's own. */
  #drop(error: unknown): void {
    const { log, reportError } = this.#options
    log.dropped(error instanceof Error ? error.message : String(error))
    reportError(error)
  }
}

/** Failures from before an adapter was asked: who adds what is missing wants an answer, not these again. */
const unasked: ReadonlySet<string> = new Set(['NO_ADAPTER', 'MISSING_CREDENTIAL', 'INVALID_CREDENTIAL'])

function assertAsked(chunks: readonly TimedChunk[]): void {
  const last = chunks.at(-1)?.[1]
  if (last?.type !== 'finish' || !('failure' in last.reason)) return
  const { code, message } = last.reason.failure
  if (!unasked.has(code)) return
  throw new LlmError(
    `A call is not recorded, because no provider was asked (${code}: ${message}); mend that and record again`,
    'INVALID_RECORDING',
  )
}

import {
  abortable,
  abortError,
  type Clock,
  createFailure,
  deepFreeze,
  type FinishChunk,
  type FinishReason,
  type GenerateOptions,
  type JsonObject,
  type LlmFailure,
  normaliseFailure,
  type StreamChunk,
} from 'dsh-llm'
import type { RecordedCall } from './file/recorded-call.ts'
import type { RecordingFile } from './file/recording-file.ts'
import { findDrift } from './match/drift.ts'
import type { CallEntry } from './match/call-entry.ts'
import type { Match, Matcher } from './match/matcher.ts'
import type { RequestKey, RequestKeys } from './match/request-key.ts'
import type { SessionNumbers } from './match/session-numbers.ts'
import type { ReplayLog } from './replay-report.ts'

/** What a player works with; it owns none of it. */
export interface PlayerOptions {
  readonly file: RecordingFile
  readonly keys: RequestKeys
  readonly sessions: SessionNumbers
  readonly matcher: Matcher
  /** Reads the request of a recorded call again: only the index is in memory, and a miss is rare. */
  readonly readRequest: (entry: CallEntry) => JsonObject
  readonly clock: Clock
  readonly pacing: 'none' | 'recorded'
  readonly log: ReplayLog
}

/** A request with what the recording says to it, or why it could not be asked. */
export type Found =
  | (Match & { readonly key: RequestKey })
  | { readonly kind: 'failed'; readonly failure: LlmFailure }

/** Answers from a recording. Nothing is ever thrown: whatever is missing is a finish with `error`. */
export class Player {
  readonly #options: PlayerOptions

  constructor(options: PlayerOptions) {
    this.#options = options
  }

  /** Looks a request up, which uses up what is found. Never throws: a request without a key has no answer. */
  find(request: GenerateOptions): Found {
    const { keys, sessions, matcher } = this.#options
    try {
      const key = keys.toKey(request)
      return { key, ...matcher.take(key, sessions.numberOf(request.sessionId)) }
    } catch (error) {
      return { kind: 'failed', failure: normaliseFailure(error) }
    }
  }

  /** The recorded answer to a request, looked up at the first pull, so parallel calls are served by order of dispatch. */
  async *play(request: GenerateOptions, found?: Found): AsyncGenerator<StreamChunk> {
    if (isAborted(request)) return yield abortedFinish(request)
    const call = this.#open(request, found ?? this.find(request))
    if ('type' in call) return yield call
    let playedMs = 0
    for (const [atMs, chunk] of call.chunks) {
      await this.#wait(atMs - playedMs, request.signal)
      playedMs = atMs
      if (isAborted(request)) return yield abortedFinish(request)
      yield chunk
    }
    if (call.outcome === 'left') yield this.#miss(request, leftFailure(call, this.#options.file.path))
  }

  /** The call to play, or the finish that says why there is none. One synchronous section, so calls cannot overtake. */
  #open(request: GenerateOptions, found: Found): RecordedCall | FinishChunk {
    if (found.kind === 'failed') return this.#miss(request, found.failure)
    if (found.kind === 'exhausted') return this.#miss(request, this.#exhausted(found.what))
    try {
      if (found.kind === 'diverged') return this.#miss(request, this.#diverged(found.key, found.findNearest()))
      const call = deepFreeze(this.#options.file.read(found.entry.place))
      this.#options.log.replayed()
      return call
    } catch (error) {
      return this.#miss(request, normaliseFailure(error))
    }
  }

  /** Every miss is counted once, here. */
  #miss(request: GenerateOptions, failure: LlmFailure): FinishChunk {
    this.#options.log.missed(failure)
    return errorFinish(request, failure)
  }

  #exhausted(what: string): LlmFailure {
    return createFailure(
      `The recording ${this.#options.file.path} has no more answers for ${what}, all were given; record again if this call is meant`,
      'REPLAY_EXHAUSTED',
    )
  }

  #diverged(key: RequestKey, entry: CallEntry): LlmFailure {
    const { file, readRequest } = this.#options
    const { place, session } = entry
    const {
      part = 'its spelling',
      within = '',
      diff = 'equal',
    } = findDrift(readRequest(entry), key.request) ?? {}
    const where = within === '' ? part : `${part} (${within})`
    const whose = session === 0 ? '' : ` (session ${session} by order of appearance)`
    return createFailure(
      `The request differs from line ${place.line} of the recording ${file.path} in ${where}: ${diff}${whose}; undo the change or record again`,
      'REPLAY_DIVERGED',
    )
  }

  /** Ends at once where nothing is to be waited for; leaves no timer behind. */
  async #wait(delayMs: number, signal: AbortSignal | undefined): Promise<void> {
    const { clock, pacing } = this.#options
    if (pacing === 'none' || delayMs <= 0) return
    const { promise, resolve } = Promise.withResolvers<void>()
    const cancel = clock.schedule(resolve, delayMs)
    // An abort ends the wait; the signal itself says so.
    await abortable(promise, signal).catch(() => {})
    cancel()
  }
}

/** Not a cut answer of the provider: nobody knows how it would have gone on. */
function leftFailure({ chunks, session, call }: RecordedCall, file: string): LlmFailure {
  return createFailure(
    `Call ${call} of session ${session} in the recording ${file} was left by its reader after ${chunks.length} chunks; leave there again or record again`,
    'REPLAY_EXHAUSTED',
  )
}

function errorFinish(request: GenerateOptions, failure: LlmFailure): FinishChunk {
  return toFinish(request, { kind: 'error', failure })
}

type AbortedRequest = GenerateOptions & { readonly signal: AbortSignal }

function isAborted(request: GenerateOptions): request is AbortedRequest {
  return request.signal?.aborted === true
}

function abortedFinish(request: AbortedRequest): FinishChunk {
  return toFinish(request, { kind: 'aborted', failure: abortError(request.signal).failure })
}

function toFinish({ provider, model }: GenerateOptions, reason: FinishReason): FinishChunk {
  return deepFreeze({ type: 'finish', reason, response: { provider, model } })
}

import {
  createFailure,
  type FinishReason,
  type LlmFailure,
  normaliseFailure,
  type PlainFinishKind,
  ProviderRequestId,
  type ReplayEnvelope,
  type ResponseInfo,
  type StreamChunk,
} from 'dsh-llm'
import type { ServerEvent } from 'dsh-llm-http'
import { AnswerWriter } from './answer-writer.ts'
import { ChunkReader, failureIn } from './chunk-reader.ts'
import { DeltaShortcut } from './delta-shortcut.ts'
import { withExactArguments } from './exact-arguments.ts'
import { toInBandFailure } from './failure.ts'
import { toReplayEnvelope } from './replay-state.ts'
import type { ResponseRules } from './response-rules.ts'
import type { ToolCallTrackerOptions } from './tool-call-tracker.ts'
import { isObject, parseJson, type WireChunk } from './wire.ts'

/** What reading one answer takes, beside its events. */
export interface TranslatorOptions extends ToolCallTrackerOptions {
  /** The route, for the facts on the finish. */
  readonly provider: string
  readonly model: string
  readonly rules: ResponseRules
  readonly requestId?: string | undefined
  /** Masks the call's secrets in text that a provider wrote. */
  readonly redact?: ((text: string) => string) | undefined
}

/**
 * Turns the events of one answer into chunks. It never throws: whatever is wrong with the answer becomes the finish,
 * which is written once, at the end marker or at the end of the bytes, so that late usage still precedes it (R6).
 */
export class Translator {
  readonly #options: TranslatorOptions
  readonly #rules: ResponseRules
  readonly #redact: (text: string) => string
  readonly #answer: AnswerWriter
  readonly #reader: ChunkReader
  readonly #shortcut: DeltaShortcut
  #finished = false

  constructor(options: TranslatorOptions) {
    this.#options = options
    this.#rules = options.rules
    this.#answer = new AnswerWriter({ ...options, inlineReasoning: options.rules.inlineReasoning })
    this.#redact = options.redact ?? ((text) => text)
    this.#reader = new ChunkReader(options.rules, this.#answer, this.#redact)
    this.#shortcut = new DeltaShortcut(options.rules)
  }

  /** Whether the finish was written; events that follow it are ignored. */
  get finished(): boolean {
    return this.#finished
  }

  /** Translates the events of one network read into `out`. */
  translate(events: readonly ServerEvent[], out: StreamChunk[]): void {
    this.#answer.out = out
    this.#guarded(() => {
      for (const event of events) {
        if (this.#finished) return
        this.#readEvent(event)
      }
    })
  }

  /** Translates an answer that came whole, as one JSON body. */
  translateWhole(body: unknown, out: StreamChunk[]): void {
    this.#answer.out = out
    this.#guarded(() => {
      this.#readPayload(body)
      if (this.#finished) return
      const isAnswer = isObject(body) && Array.isArray((body as WireChunk).choices)
      if (isAnswer) this.#conclude(true)
      else this.#fail(createFailure(noCompletion, 'MALFORMED_RESPONSE'))
    })
  }

  /** The bytes ended, or reading them failed: what has come decides whether the answer is complete (agreed answer 2). */
  end(out: StreamChunk[], failure?: LlmFailure): void {
    this.#answer.out = out
    if (!this.#finished) this.#guarded(() => this.#conclude(false, failure))
  }

  /** What the writer refuses, such as text for a call that is closed, is the provider's fault and ends the answer. */
  #guarded(run: () => void): void {
    try {
      run()
    } catch (error) {
      this.#fail(normaliseFailure(error))
    }
  }

  /** The shortcut comes first: it can only ever fit a chunk, never a marker or a failure. */
  #readEvent({ event, data }: ServerEvent): void {
    if (event === 'error') return this.#failWith(parseJson(data) ?? data)
    if (this.#shortcut.write(data, this.#answer)) return
    if (data.charCodeAt(0) !== OPEN_BRACE && data.trim() === '[DONE]') return this.#conclude(true)
    const payload = withExactArguments(parseJson(data), data)
    if (typeof payload !== 'object' && isHeartbeat(event)) return
    if (payload === undefined) return this.#failMalformed(data)
    this.#readPayload(payload)
    if (isObject(payload)) this.#shortcut.learn(data, payload)
  }

  #readPayload(payload: unknown): void {
    // Gemini wraps its errors in an array; `null` says nothing.
    if (Array.isArray(payload)) this.#failWith(payload)
    else if (isObject(payload)) this.#readChunk(payload)
    else if (payload !== null) this.#failMalformed(JSON.stringify(payload))
  }

  #readChunk(chunk: WireChunk): void {
    this.#reader.read(chunk)
    const failure = failureIn(chunk)
    if (failure !== undefined) this.#failWith(failure)
  }

  /** Decides how the answer ends: at its end marker, or where the bytes end without one. */
  #conclude(isMarked: boolean, failure?: LlmFailure): void {
    this.#answer.settle()
    if (failure !== undefined && !cuts.has(failure.code)) return this.#fail(failure)
    const reason = this.#reader.finishReason
    if (reason === undefined) return this.#concludeWithoutReason(isMarked, failure)
    const isNormal = reason === 'stop' || reason === 'tool-calls'
    if (isNormal && !isMarked && this.#answer.hasIncompleteCall) this.#fail(closedFailure(false))
    else this.#finish(reason)
  }

  /** Agreed answer 1: the marker alone ends an answer, unless a call is cut. */
  #concludeWithoutReason(isMarked: boolean, failure: LlmFailure | undefined): void {
    const isWhole = !this.#answer.hasIncompleteCall
    if (isMarked && isWhole) this.#finish('stop')
    else this.#fail(failure ?? closedFailure(isWhole))
  }

  #failWith(payload: unknown): void {
    this.#fail(toInBandFailure(payload, this.#rules, this.#redact))
  }

  #failMalformed(data: string): void {
    const excerpt = this.#redact(data).trim().slice(0, 200)
    this.#fail(
      createFailure(`The provider sent an event that is no JSON object: ${excerpt}`, 'MALFORMED_RESPONSE'),
    )
  }

  /** Blocks stay as they are, open ones included (R7). */
  #fail(failure: LlmFailure): void {
    if (this.#finished) return
    this.#answer.settle()
    const told = createFailure(failure.message, failure.code, {
      requestId: this.#options.requestId,
      ...failure,
    })
    this.#writeFinish({ kind: failure.code === 'ABORTED' ? 'aborted' : 'error', failure: told })
  }

  /** A normal end, unless a call turns out to be several. */
  #finish(reason: PlainFinishKind | FinishReason): void {
    const repeated = reason === 'stop' || reason === 'tool-calls' ? this.#answer.closeCalls() : undefined
    if (repeated === undefined) return this.#writeFinish(reason)
    const message = `The provider sent several argument objects for one call of "${repeated}"`
    this.#fail(createFailure(message, 'MALFORMED_RESPONSE'))
  }

  /** The one place where the finish is written (R1). */
  #writeFinish(reason: PlainFinishKind | FinishReason): void {
    this.#finished = true
    const facts = { response: this.#response(), replayState: this.#replayState(reason) }
    this.#answer.finish(reason, facts, this.#reader.usage)
  }

  #response(): ResponseInfo {
    const { provider, model, requestId } = this.#options
    const { id, servedModel, rawFinishReason } = this.#reader
    const request = requestId === undefined ? undefined : ProviderRequestId(requestId)
    return { provider, model, id, servedModel, requestId: request, rawFinishReason }
  }

  /** Only an answer that may be continued has any. */
  #replayState(reason: PlainFinishKind | FinishReason): ReplayEnvelope | undefined {
    if (typeof reason === 'object' || !this.#rules.keepsReplayState) return undefined
    return toReplayEnvelope({
      reasoningDetails: this.#reader.reasoningDetails,
      blocks: this.#answer.replayBlocks(),
    })
  }
}

/** Failures that only say that no more bytes came. */
const cuts: ReadonlySet<string> = new Set(['TRANSPORT', 'TIMEOUT', 'STREAM_CLOSED'])

function closedFailure(isWhole: boolean): LlmFailure {
  const message = isWhole
    ? 'The connection closed before the provider ended its answer'
    : 'The answer ended inside the arguments of a tool call'
  return createFailure(message, 'STREAM_CLOSED')
}

const noCompletion = 'The provider answered with JSON that holds no completion'

/** Events that only keep the connection alive may hold anything; others that cannot be read are part of the answer. */
function isHeartbeat(event = ''): boolean {
  return /^(?:ping|keep-?alive|heartbeat)$/i.test(event)
}

const OPEN_BRACE = 123

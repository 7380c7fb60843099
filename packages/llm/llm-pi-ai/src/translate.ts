import {
  ChunkWriter,
  createFailure,
  type FinishReason,
  type LlmFailure,
  type PlainFinishKind,
  ProviderRequestId,
  type StreamChunk,
} from 'dsh-llm'
import {
  type AnswerTranslator,
  defaultFinishReasons,
  type FinishReasonTable,
  mapFinishReason,
} from 'dsh-llm-openai-compatible'
import { toAnswerState } from './answer-state.ts'
import type { Below } from './below.ts'
import { toStreamFailure, toTextFailure } from './failure.ts'
import type { PiEvent, PiMessage, PiModel } from './pi-api.ts'
import type { Protocol } from './protocol.ts'
import { PieceReader } from './piece-reader.ts'
import { toTokenUsage } from './usage.ts'
import type { WireFacts } from './wire-facts.ts'

/** What a translator works with; it owns none of it. */
export interface TranslatorOptions {
  readonly provider: string
  readonly model: PiModel
  readonly protocol: Protocol
  readonly facts: WireFacts
  /** Where status, body and request id are known. */
  readonly below: Pick<Below, 'failure' | 'requestId' | 'redact' | 'stage'>
  /** The caller's name of a tool, by the name it has on the wire. */
  readonly toolName: (wireName: string) => string
  /** Ids a new call may not have. */
  readonly usedCallIds: ReadonlySet<string>
}

/** Turns the events of one answer of pi-ai into chunks. Keeps no reference to pi-ai's own objects behind a call. */
export class PiTranslator implements AnswerTranslator<PiEvent> {
  readonly #options: TranslatorOptions
  readonly #writer = new ChunkWriter()
  readonly #pieces: PieceReader
  readonly #finishReasons: FinishReasonTable
  #finished = false

  constructor(options: TranslatorOptions) {
    this.#options = options
    this.#pieces = new PieceReader(this.#writer, {
      ...options,
      partsThinking: options.protocol.partsThinking === true,
    })
    this.#finishReasons = { ...defaultFinishReasons, ...options.protocol.finishReasons }
  }

  get finished(): boolean {
    return this.#finished
  }

  translate(events: readonly PiEvent[], into: StreamChunk[]): void {
    for (const event of events) {
      if (this.#finished) return
      if (event.type === 'done' || event.type === 'error') this.#checkReason(event)
      if (event.type === 'done') this.#finish(event.message, this.#toReason(event), into)
      else if (event.type === 'error') this.#finish(event.error, this.#toEnd(event.error), into)
      else this.#pieces.read(event, into)
    }
  }

  /** pi-ai never ends without an event that says so, unless the call was taken from it. */
  end(into: StreamChunk[], failure?: LlmFailure): void {
    if (this.#finished) return
    this.#finished = true
    const why = failure ?? createFailure('The answer ended before it was complete', 'STREAM_CLOSED')
    into.push(...this.#writer.finish(failed(this.#options.below.failure ?? why)))
  }

  #checkReason(event: Extract<PiEvent, { type: 'done' | 'error' }>): void {
    const { rawStopReason: raw }: { rawStopReason?: unknown } =
      event.type === 'done' ? event.message : event.error
    const isText = typeof raw === 'string' || raw === undefined || raw === null
    if (!isText) this.#options.facts.fault ??= 'its finish reason is no text'
  }

  #finish(message: PiMessage, wanted: PlainFinishKind | FinishReason, into: StreamChunk[]): void {
    const { provider, model, protocol, facts, below } = this.#options
    const usage = toTokenUsage(message.usage, facts.usage, protocol.usage)
    if (usage !== undefined) into.push(...this.#writer.usage(usage))
    const { requestId } = below
    const response = {
      provider,
      model: model.id,
      id: textOf(message.responseId),
      servedModel: textOf(message.responseModel) ?? facts.servedModel,
      requestId: requestId === undefined ? undefined : ProviderRequestId(requestId),
      rawFinishReason: textOf(message.rawStopReason),
    }
    const replayState =
      typeof wanted === 'string' ? toAnswerState(message, this.#pieces.owners, this.#options) : undefined
    into.push(...this.#writer.finish(wanted, { response, replayState }))
    this.#finished = true
  }

  /** What pi-ai calls done may still be cut or wrong: it does not look at what was written. */
  #toReason({ reason, message }: Extract<PiEvent, { type: 'done' }>): PlainFinishKind | FinishReason {
    const { model, facts, below } = this.#options
    if (facts.error !== undefined) return failed(toStreamFailure(facts.error, (text) => below.redact(text)))
    if (facts.fault !== undefined) return failed(brokenAnswer(facts.fault))
    if (reason === 'length') return 'max-tokens'
    if (reason === 'deferred') return failed(brokenAnswer('it puts the answer off, which no request asked for'))
    // Only with a flag of its own does pi-ai take the end of the bytes for the end of the answer.
    const isCut = model.api === 'openai-completions' && message.rawStopReason === undefined && !facts.isDone
    if (isCut) return failed(createFailure('The stream ended without a finish reason', 'STREAM_CLOSED'))
    if (this.#writer.hasIncompleteCall)
      return failed(brokenAnswer('the arguments of a tool call are no complete JSON'))
    return reason === 'toolUse' ? 'tool-calls' : 'stop'
  }

  /** What pi-ai calls an error may still be a whole answer. */
  #toEnd(message: PiMessage): PlainFinishKind | FinishReason {
    const failure = this.#toFailure(message)
    const kind = this.#kindOf(message, failure)
    if (kind === undefined) return failed(failure)
    if (kind === 'max-tokens' || !this.#writer.hasIncompleteCall) return kind
    return failed(createFailure('The stream ended inside the arguments of a tool call', 'STREAM_CLOSED'))
  }

  /** How an answer ended that pi-ai calls an error; nothing for one that is. */
  #kindOf({ errorMessage = '', rawStopReason }: PiMessage, { code }: LlmFailure): PlainFinishKind | undefined {
    const { facts, model } = this.#options
    if (facts.error !== undefined || facts.fault !== undefined) return undefined
    // An answer that was cut behind its finish reason is complete (agreed answer 2).
    if (cutCodes.has(code) && facts.finish !== undefined) return this.#plainKind(facts.finish)
    if (model.api !== 'openai-completions') return undefined
    // An end marker without a finish reason ends an answer (agreed answer 1), and so do words that pi-ai does not know.
    if (facts.isDone && /without finish_reason/i.test(errorMessage)) return 'stop'
    const raw = textOf(rawStopReason) ?? ''
    return errorMessage.startsWith('Provider finish_reason') ? this.#plainKind(raw) : undefined
  }

  #plainKind(raw: string): PlainFinishKind | undefined {
    const meaning = mapFinishReason(raw, this.#finishReasons)
    return typeof meaning === 'string' ? meaning : undefined
  }

  /** Below pi-ai things have status and body; its own text is asked last. */
  #toFailure(message: PiMessage): LlmFailure {
    const { facts, below, protocol } = this.#options
    const redact = (text: string): string => below.redact(text)
    // What the provider said comes first: its SDK leaves the connection because of it.
    if (facts.error !== undefined) return toStreamFailure(facts.error, redact)
    if (below.failure !== undefined) return below.failure
    if (facts.fault !== undefined) return brokenAnswer(facts.fault)
    if (facts.blockReason !== undefined) return refusedPrompt(facts.blockReason)
    const told = this.#failureOfReason(message)
    if (told !== undefined) return told
    const isCutEvent = protocol.takesFetch && below.stage === 'answered' && !facts.hasUnreadable
    return toTextFailure(message.errorMessage ?? '', { redact, stage: below.stage, isCutEvent })
  }

  /** What the finish reason stands for, where that is a failure. */
  #failureOfReason({ rawStopReason, stopReason }: PiMessage): LlmFailure | undefined {
    const raw = textOf(rawStopReason)?.replace(/^incomplete\./, '')
    if (raw === undefined || stopReason === 'aborted') return undefined
    const meaning = mapFinishReason(raw, this.#finishReasons)
    return typeof meaning !== 'string' && 'failure' in meaning ? meaning.failure : undefined
  }
}

/** Failures of a connection that may break when all is said. */
const cutCodes: ReadonlySet<string> = new Set(['TRANSPORT', 'TIMEOUT', 'STREAM_CLOSED'])

/** Servers are not always as typed as pi-ai. */
function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}

function brokenAnswer(what: string): LlmFailure {
  return createFailure(`The answer of the provider cannot be used: ${what}`, 'MALFORMED_RESPONSE')
}

function refusedPrompt(reason: string): LlmFailure {
  return createFailure(`The provider refused the prompt: ${reason.slice(0, 60)}`, 'CONTENT_FILTER')
}

function failed(failure: LlmFailure): FinishReason {
  return { kind: 'error', failure }
}

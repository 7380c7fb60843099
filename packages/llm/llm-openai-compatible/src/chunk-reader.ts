import type { FinishReason, JsonObject, PlainFinishKind, TokenUsage } from 'dsh-llm'
import type { AnswerWriter } from './answer-writer.ts'
import { writeParts } from './content-parts.ts'
import { mapFinishReason } from './finish-reason.ts'
import { ReasoningDetails } from './reasoning-details.ts'
import type { ResponseRules } from './response-rules.ts'
import { toTokenUsage } from './usage.ts'
import { isObject, textOf, type WireChoice, type WireChunk, type WireDelta } from './wire.ts'

/** Reads parsed chunks of one answer: content goes to the writer at once, everything else is kept for the finish. */
export class ChunkReader {
  readonly #rules: ResponseRules
  readonly #answer: AnswerWriter
  readonly #redact: (text: string) => string
  readonly #details: ReasoningDetails = new ReasoningDetails()
  id: string | undefined
  servedModel: string | undefined
  rawFinishReason: string | undefined
  finishReason: PlainFinishKind | FinishReason | undefined
  /** The last snapshot (R6). */
  usage: TokenUsage | undefined

  /** `redact` masks secrets in the facts that end up on the finish. */
  constructor(rules: ResponseRules, answer: AnswerWriter, redact: (text: string) => string) {
    this.#rules = rules
    this.#answer = answer
    this.#redact = redact
  }

  /** The collected `reasoning_details`, for the replay state. */
  get reasoningDetails(): readonly JsonObject[] {
    return this.#details.entries
  }

  /** Reads whatever a chunk has; missing, empty and odd fields are passed over. */
  read(chunk: WireChunk): void {
    this.id ??= this.#factOf(chunk.id)
    this.servedModel ??= this.#factOf(chunk.model)
    const choice = Array.isArray(chunk.choices) ? firstChoice(chunk.choices) : undefined
    if (choice !== undefined) this.#readChoice(choice)
    const usage = chunk.usage ?? choice?.usage ?? groqUsage(chunk)
    if (usage !== undefined) this.usage = toTokenUsage(usage, this.#rules.outputCount) ?? this.usage
  }

  /** A `message` is the whole answer, unless content came before: then it repeats it. */
  #readChoice(choice: WireChoice): void {
    const delta = choice.delta ?? (this.#answer.hasContent ? undefined : choice.message)
    if (isObject(delta)) this.#readDelta(delta as WireDelta)
    const reason = this.#factOf(choice.finish_reason)
    if (reason !== undefined) this.#noteFinish(reason)
  }

  /** Order within one delta: reasoning, text, calls. */
  #readDelta(delta: WireDelta): void {
    this.#readReasoning(delta)
    const { content } = delta
    if (typeof content === 'string') this.#answer.text(content)
    else if (content !== undefined && content !== null) writeParts(content, this.#answer)
    if (typeof delta.refusal === 'string') this.#answer.text(delta.refusal)
    if (Array.isArray(delta.tool_calls)) this.#answer.toolCalls(delta.tool_calls)
    if (isObject(delta.function_call)) this.#answer.toolCalls([{ function: delta.function_call }])
  }

  /** Several fields may repeat one text: the first that has any is taken (agreed answer 9). */
  #readReasoning(delta: WireDelta): void {
    const details = Array.isArray(delta.reasoning_details) ? this.#details.add(delta.reasoning_details) : ''
    for (const field of this.#rules.reasoningFields) {
      const text = textOf(delta[field])
      if (text !== undefined) return this.#answer.reasoning(text)
    }
    this.#answer.reasoning(details)
  }

  #factOf(value: unknown): string | undefined {
    const text = textOf(value)
    return text === undefined ? undefined : this.#redact(text)
  }

  /** The last reason counts, but none softens an earlier cut or failure. */
  #noteFinish(raw: string): void {
    const reason = this.finishReason
    if (reason !== undefined && reason !== 'stop' && reason !== 'tool-calls') return
    this.rawFinishReason = raw
    this.finishReason = mapFinishReason(raw, this.#rules.finishReasons)
  }
}

/** The part of a chunk that tells a failure: nested under `error`, or flat where an answer would have choices. */
export function failureIn(chunk: WireChunk): object | undefined {
  if (isTold(chunk.error)) return chunk
  if (Array.isArray(chunk.choices)) {
    const choice = firstChoice(chunk.choices)
    return choice !== undefined && isTold(choice.error) ? choice : undefined
  }
  return textOf(chunk.message) !== undefined || isTold(chunk.detail) ? chunk : undefined
}

function isTold(value: unknown): boolean {
  return value !== undefined && value !== null && value !== '' && value !== false
}

/** Only choice 0 is read (agreed answer 9); some servers leave its index out. */
function firstChoice(choices: readonly unknown[]): WireChoice | undefined {
  for (const choice of choices) {
    if (isObject(choice) && isFirst(choice)) return choice
  }
  return undefined
}

function isFirst(choice: WireChoice): boolean {
  return (choice.index ?? 0) === 0 || choice.index === '0'
}

function groqUsage(chunk: WireChunk): unknown {
  if (!isObject(chunk.x_groq)) return undefined
  const extension: WireChunk = chunk.x_groq
  return extension.usage
}

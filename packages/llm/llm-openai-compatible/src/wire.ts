/**
 * Answers as they come over the wire. Servers differ in every field, so each one is `unknown` until its reader has
 * looked at it; the names are those of the reference plus the deviations met in the field.
 */
export interface WireChunk {
  readonly id?: unknown
  readonly model?: unknown
  readonly choices?: unknown
  readonly usage?: unknown
  /** Groq repeats the usage here. */
  readonly x_groq?: unknown
  readonly error?: unknown
  /** Fields of errors that are not nested under `error`. */
  readonly message?: unknown
  readonly detail?: unknown
}

/** One of the answers in a chunk; only the first is ever asked for. */
export interface WireChoice {
  readonly index?: unknown
  readonly delta?: unknown
  /** In place of `delta` where a whole answer comes at once. */
  readonly message?: unknown
  readonly finish_reason?: unknown
  /** Moonshot's older place for it. */
  readonly usage?: unknown
  /** OpenRouter tells the failure of the server behind it here. */
  readonly error?: unknown
}

/** A piece of the answer, or all of it; reasoning fields are named by the dialect. */
export interface WireDelta {
  readonly [field: string]: unknown
  readonly content?: unknown
  readonly refusal?: unknown
  readonly reasoning_details?: unknown
  readonly tool_calls?: unknown
  /** The deprecated single call. */
  readonly function_call?: unknown
}

/** One entry of `tool_calls`: all of a call, or a piece of it in which any field may be missing, empty or repeated. */
export interface WireToolCall {
  readonly index?: unknown
  readonly id?: unknown
  readonly function?: unknown
  /** A tool with free text input. */
  readonly custom?: unknown
  /** Gemini's thought signature. */
  readonly extra_content?: unknown
}

/** What a call calls; `input` belongs to tools with free text. */
export interface WireFunction {
  readonly name?: unknown
  readonly arguments?: unknown
  readonly input?: unknown
}

/** Token counts under every name they were met with; one count may come under several. */
export interface WireUsage {
  readonly prompt_tokens?: unknown
  readonly completion_tokens?: unknown
  readonly total_tokens?: unknown
  readonly prompt_tokens_details?: unknown
  readonly completion_tokens_details?: unknown
  readonly prompt_cache_hit_tokens?: unknown
  readonly prompt_cache_miss_tokens?: unknown
  readonly cached_tokens?: unknown
  readonly num_cached_tokens?: unknown
  readonly cache_read_input_tokens?: unknown
  readonly cache_write_tokens?: unknown
  readonly cache_creation_input_tokens?: unknown
  readonly reasoning_tokens?: unknown
}

/** Whether a wire value is an object that is not an array. */
export function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The text of a wire field; an empty string counts as absent. */
export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}

/** The value of a JSON text; `undefined` if it is none. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}

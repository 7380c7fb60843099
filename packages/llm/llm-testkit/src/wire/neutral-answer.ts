/** A tool call to be rendered; a list of arguments is sent piece by piece. */
export interface NeutralCall {
  /** Minted from position, name and arguments when absent, so the same script gives the same id. */
  readonly id?: string | undefined
  readonly name: string
  readonly arguments: string | readonly string[]
}

/** Token counts in the vocabulary of `dsh-llm`: disjoint, reasoning being a part of output; unknown is absent. */
export interface NeutralUsage {
  readonly inputTokens?: number | undefined
  readonly outputTokens?: number | undefined
  readonly cacheReadTokens?: number | undefined
  readonly cacheWriteTokens?: number | undefined
  readonly reasoningTokens?: number | undefined
}

/** What a provider reports inside a stream that has already begun. */
export interface NeutralError {
  readonly message: string
  readonly type?: string | undefined
  readonly code?: string | number | undefined
}

/**
 * What a model says, without a word about the wire: reasoning comes first, then text, then calls. A list gives one frame
 * for each piece.
 */
export interface NeutralAnswer {
  readonly reasoning?: string | readonly string[] | undefined
  readonly text?: string | readonly string[] | undefined
  readonly calls?: readonly NeutralCall[] | undefined
  readonly usage?: NeutralUsage | undefined
  /**
   * `stop`, `tool-calls`, `max-tokens`, or any other value, which reaches the wire unchanged. By default `tool-calls` if
   * there are calls, else `stop`; `null` leaves the finish out.
   */
  readonly finish?: string | null | undefined
  /** Ends the stream in place of finish and usage. Each wire takes of it what its errors have. */
  readonly error?: NeutralError | undefined
}

/** The pieces of a part that may be absent, one string, or a list. */
export function toPieces(part: string | readonly string[] | undefined): readonly string[] {
  if (part === undefined) return []
  return typeof part === 'string' ? [part] : part
}

/** The pieces to be sent. An empty piece in a list is a frame someone asked for; a part that is just empty is none. */
export function toFramePieces(part: string | readonly string[] | undefined): readonly string[] {
  return part === '' ? [] : toPieces(part)
}

/** The finish that was given, or the one that goes with what is said. */
export function finishOf({ calls = [], finish }: NeutralAnswer): string | null {
  if (finish !== undefined) return finish
  return calls.length > 0 ? 'tool-calls' : 'stop'
}

import type { AdapterRequest, LlmFailure, ReplayEnvelope, StreamChunk } from 'dsh-llm'
import type { NeutralAnswer } from '../wire/neutral-answer.ts'

/** How a scripted run goes on its way and how it ends, whatever it says. */
export interface ScriptedPace {
  /** Milliseconds before each chunk, by the adapter's clock; an array gives one wait per position. */
  readonly delaysMs?: number | readonly number[] | undefined
  /**
   * After the last chunk: `close` ends the stream; `cut` ends it without the finish; `hang` leaves the finish out and
   * never settles, until the signal is aborted.
   */
  readonly end?: 'close' | 'cut' | 'hang' | undefined
  /** Thrown after the last chunk, in place of the finish. */
  readonly throws?: unknown
  /** A deaf adapter: waits and hangs go on after the abort. */
  readonly ignoresAbort?: boolean | undefined
}

/** What a model says, in neutral words. */
export interface ScriptedAnswer extends NeutralAnswer, ScriptedPace {
  /** Ends the answer with `error`; a neutral `error` does the same with the code `SERVER`. */
  readonly failure?: LlmFailure | undefined
  /** On the finish of an answer that did not fail. */
  readonly replayState?: ReplayEnvelope | undefined
}

/** Chunks as they are, legal or not. */
export interface ScriptedChunks extends ScriptedPace {
  readonly chunks: readonly StreamChunk[]
}

/** What answers one call; a bare list is `{ chunks }`. */
export type ScriptedStep = ScriptedAnswer | ScriptedChunks | readonly StreamChunk[]

/** Makes the step from the request; what it throws, the call throws. */
export type ScriptedFunction = (request: AdapterRequest, index: number) => ScriptedStep | Promise<ScriptedStep>

/** Steps in order, one per call, or a function for every call. */
export type ScriptedScript = readonly (ScriptedStep | ScriptedFunction)[] | ScriptedFunction

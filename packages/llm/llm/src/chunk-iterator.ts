import { LlmError } from './error.ts'
import type { StreamChunk } from './types.ts'

/** What the streams of this package are: an iterable that may be iterated once, and its own iterator. */
export interface ChunkIterator extends AsyncIterableIterator<StreamChunk, undefined, undefined> {
  /** Whether somebody has begun to iterate it. */
  readonly isTaken: boolean
  next(): Promise<IteratorResult<StreamChunk, undefined>>
  return(): Promise<IteratorResult<StreamChunk, undefined>>
  [Symbol.asyncIterator](): ChunkIterator
}

export type ChunkResult = IteratorResult<StreamChunk, undefined>

/** The result of a stream that is over. */
export const DONE: ChunkResult = Object.freeze({ done: true, value: undefined })

/** A stream of this package that refuses its second iteration. */
export abstract class SingleUseStream implements ChunkIterator {
  #isTaken = false

  get isTaken(): boolean {
    return this.#isTaken
  }

  [Symbol.asyncIterator](): this {
    if (this.#isTaken) throw streamConsumed()
    this.#isTaken = true
    return this
  }

  abstract next(): Promise<ChunkResult>
  abstract return(): Promise<ChunkResult>
}

/** The error of whoever iterates a stream that was iterated before. */
export function streamConsumed(): LlmError {
  const advice = 'call stream() again, or keep the chunks while reading them'
  return new LlmError(`Could not iterate the stream again: it can be read once; ${advice}`, 'STREAM_CONSUMED')
}

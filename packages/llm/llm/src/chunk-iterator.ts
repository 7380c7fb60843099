import { LlmError } from './error.ts'
import type { StreamChunk } from './types.ts'

/** What the streams of this package are: an iterable that may be iterated once, and its own iterator. */
export interface ChunkIterator extends AsyncIterableIterator<StreamChunk, undefined, undefined> {
  next(): Promise<IteratorResult<StreamChunk, undefined>>
  return(): Promise<IteratorResult<StreamChunk, undefined>>
  [Symbol.asyncIterator](): ChunkIterator
}

export type ChunkResult = IteratorResult<StreamChunk, undefined>

/** The result of a stream that is over. */
export const DONE: ChunkResult = Object.freeze({ done: true, value: undefined })

/** Guards the second iteration of a stream that is good for one. */
export class SingleUse {
  #taken = false

  take(): void {
    if (this.#taken) {
      const advice = 'call stream() again, or keep the chunks while reading them'
      throw new LlmError(`Could not iterate the stream again: it can be read once; ${advice}`, 'STREAM_CONSUMED')
    }
    this.#taken = true
  }
}

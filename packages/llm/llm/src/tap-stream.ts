import { type ChunkIterator, type ChunkResult, DONE, SingleUse } from './chunk-iterator.ts'
import type { Blame } from './sealed-stream.ts'
import type { StreamChunk } from './types.ts'

/** Sees a chunk on its way; must not change it. */
export type ChunkObserver = (chunk: StreamChunk) => void

interface Observer {
  readonly observe: ChunkObserver
  /** Set once the listener that taps is known. */
  blame: Blame | undefined
}

/**
 * Lets `observe` see each chunk before the reader does, at the cost of a function call: taps on taps share one step,
 * and no generator is involved. What `observe` throws closes the stream and reaches the reader as the same value.
 */
export function tapStream(stream: AsyncIterable<StreamChunk>, observe: ChunkObserver): AsyncIterable<StreamChunk> {
  return new TapStream(stream, observe)
}

/** A stream with observers; nothing in it can change, add or drop a chunk. */
export class TapStream implements ChunkIterator {
  /** The stream below all taps. */
  readonly source: AsyncIterable<StreamChunk>
  /** Innermost first. */
  readonly #observers: readonly Observer[]
  readonly #own: Observer
  readonly #singleUse = new SingleUse()
  #iterator: AsyncIterator<StreamChunk> | undefined

  constructor(stream: AsyncIterable<StreamChunk>, observe: ChunkObserver) {
    this.#own = { observe, blame: undefined }
    const tapped = stream instanceof TapStream
    this.source = tapped ? stream.source : stream
    this.#observers = tapped ? [...stream.#observers, this.#own] : [this.#own]
  }

  /** Says whom an error of this tap belongs to; the first word counts. */
  claim(blame: Blame): void {
    this.#own.blame ??= blame
  }

  [Symbol.asyncIterator](): this {
    this.#singleUse.take()
    return this
  }

  next(): Promise<ChunkResult> {
    try {
      this.#iterator ??= this.source[Symbol.asyncIterator]()
      return Promise.resolve(this.#iterator.next()).then(this.#observe)
    } catch (error) {
      return Promise.reject(error as Error)
    }
  }

  async return(): Promise<ChunkResult> {
    await this.#iterator?.return?.()
    return DONE
  }

  readonly #observe = (result: IteratorResult<StreamChunk>): ChunkResult | Promise<ChunkResult> => {
    if (result.done === true) return DONE
    for (const observer of this.#observers) {
      try {
        observer.observe(result.value)
      } catch (error) {
        return this.#failed(observer, error)
      }
    }
    return result as ChunkResult
  }

  async #failed(observer: Observer, error: unknown): Promise<never> {
    observer.blame?.(error)
    try {
      await this.#iterator?.return?.()
    } catch {
      // The observer's error is the first and the one worth telling.
    }
    throw error
  }
}

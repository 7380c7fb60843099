import { type ChunkResult, DONE, SingleUseStream } from './chunk-iterator.ts'
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
export function tapStream(
  stream: AsyncIterable<StreamChunk>,
  observe: ChunkObserver,
): AsyncIterable<StreamChunk> {
  return new TapStream(stream, observe)
}

/** A stream with observers; nothing in it can change, add or drop a chunk. */
export class TapStream extends SingleUseStream {
  /** The stream below all taps. */
  readonly source: AsyncIterable<StreamChunk>
  /** Innermost first. */
  readonly #observers: readonly Observer[]
  #iterator: AsyncIterator<StreamChunk> | undefined
  #left = false

  constructor(stream: AsyncIterable<StreamChunk>, observe: ChunkObserver) {
    super()
    // A tap that is being read already refuses another reader by itself.
    const isShared = stream instanceof TapStream && !stream.isTaken
    this.source = isShared ? stream.source : stream
    this.#observers = [...(isShared ? stream.#observers : []), { observe, blame: undefined }]
  }

  /** Says whom errors of these observers belong to; for each the first word counts. */
  claim(blame: Blame): void {
    for (const observer of this.#observers) observer.blame ??= blame
  }

  next(): Promise<ChunkResult> {
    if (this.#left) return Promise.resolve(DONE)
    try {
      this.#iterator ??= this.source[Symbol.asyncIterator]()
      return Promise.resolve(this.#iterator.next()).then(this.#observe)
    } catch (error) {
      return Promise.reject(error as Error)
    }
  }

  async return(): Promise<ChunkResult> {
    this.#left = true
    await this.#iterator?.return?.()
    return DONE
  }

  readonly #observe = (result: IteratorResult<StreamChunk>): ChunkResult | Promise<ChunkResult> => {
    if (result.done) return DONE
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
    // The observer's error is the first and the one worth telling.
    await this.return().catch(() => {})
    throw error
  }
}

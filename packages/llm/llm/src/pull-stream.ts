import { type ChunkResult, DONE, SingleUseStream } from './chunk-iterator.ts'
import type { FinishChunk } from './types.ts'

/**
 * A stream that answers its pulls one after the other, whoever makes the answer and whenever: one resolver serves all
 * pulls. What ends the stream while nobody waits is kept for the next pull.
 */
export abstract class PullStream extends SingleUseStream {
  protected isOver = false
  /** The finish that nobody has pulled yet. */
  #last: FinishChunk | undefined
  #pull: Promise<ChunkResult> | undefined
  #resolve: ((result: ChunkResult) => void) | undefined
  #reject: ((error: unknown) => void) | undefined

  /** Whether somebody waits for a result. */
  protected get isPulled(): boolean {
    return this.#pull !== undefined
  }

  /** Begins whatever leads to the next `settle`, `fail` or `deliver`. */
  protected abstract produce(): void

  next(): Promise<ChunkResult> {
    if (this.#pull !== undefined) return this.#nextAfter(this.#pull)
    if (this.isOver) return Promise.resolve(this.#takeLast())
    const pull = new Promise<ChunkResult>(this.#keepResolvers)
    this.#pull = pull
    this.produce()
    return pull
  }

  /** Answers the waiting pull, if there is one. */
  protected settle(result: ChunkResult): void {
    this.#pull = undefined
    // Of a pull that was answered already this does nothing.
    this.#resolve?.(result)
  }

  /** Lets the waiting pull fail, if there is one. */
  protected fail(error: unknown): void {
    this.#pull = undefined
    this.#reject?.(error)
  }

  /** Hands a finish to whoever waits, or keeps it for the next pull. */
  protected deliver(finish: FinishChunk): void {
    if (this.isPulled) this.settle({ done: false, value: finish })
    else this.#last = finish
  }

  /** The consumer has left: what it has not pulled is gone. */
  protected drop(): void {
    this.#last = undefined
    this.settle(DONE)
  }

  readonly #keepResolvers = (
    resolve: (result: ChunkResult) => void,
    reject: (error: unknown) => void,
  ): void => {
    this.#resolve = resolve
    this.#reject = reject
  }

  async #nextAfter(pull: Promise<ChunkResult>): Promise<ChunkResult> {
    // The one before may fail; that is for its own reader to see.
    await pull.catch(() => {})
    return this.next()
  }

  #takeLast(): ChunkResult {
    const value = this.#last
    this.#last = undefined
    return value === undefined ? DONE : { done: false, value }
  }
}

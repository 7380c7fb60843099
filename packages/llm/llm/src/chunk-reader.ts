import type { Clock } from './clock.ts'
import { LlmError } from './error.ts'
import type { ChunkResult } from './chunk-iterator.ts'
import type { StreamChunk } from './types.ts'

/** An iterator of code that is not ours: opened with a check, closed once and with bounded patience. */
export class ChunkReader {
  readonly #iterator: AsyncIterator<StreamChunk>

  constructor(iterable: AsyncIterable<StreamChunk>) {
    this.#iterator = openIterator(iterable)
  }

  next(): Promise<ChunkResult> {
    return this.#iterator.next()
  }

  /** Asks the iterator to clean up and waits for that, at most `cleanupMs`. Rejects with what the clean-up throws. */
  close({ clock, cleanupMs }: { readonly clock: Clock; readonly cleanupMs: number }): Promise<void> {
    // Called on the iterator, whose own `return` may be absent.
    const closing: unknown = this.#iterator.return?.()
    if (!isThenable(closing)) return Promise.resolve()
    return new Promise((resolve, reject) => {
      const cancel = clock.schedule(resolve, cleanupMs)
      const settled = (): void => {
        cancel()
        resolve()
      }
      Promise.resolve(closing).then(settled, (error: unknown) => {
        cancel()
        reject(error as Error)
      })
    })
  }
}

function openIterator(iterable: AsyncIterable<StreamChunk>): AsyncIterator<StreamChunk> {
  const open = (iterable as Partial<AsyncIterable<StreamChunk>> | undefined)?.[Symbol.asyncIterator]
  if (typeof open !== 'function') {
    throw new LlmError('stream() of the adapter gave no async iterable', 'ADAPTER_PROTOCOL')
  }
  const iterator: unknown = Reflect.apply(open, iterable, [])
  if (typeof iterator !== 'object' || iterator === null || !('next' in iterator)) {
    throw new LlmError('The iterable of the adapter gave no iterator', 'ADAPTER_PROTOCOL')
  }
  return iterator as AsyncIterator<StreamChunk>
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof value === 'object' && value !== null && 'then' in value
}

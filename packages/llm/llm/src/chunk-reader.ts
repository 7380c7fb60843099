import { closeIterator, type Patience } from './close-iterator.ts'
import type { ChunkResult } from './chunk-iterator.ts'
import type { StreamChunk } from './types.ts'

/** An iterator of code that is not ours: opened with a check, closed with bounded patience. */
export class ChunkReader {
  readonly #iterator: AsyncIterator<StreamChunk>

  private constructor(iterator: AsyncIterator<StreamChunk>) {
    this.#iterator = iterator
  }

  /** A reader of what an adapter gave, or what is wrong with it. Throws what the adapter's own code throws. */
  static open(iterable: unknown): ChunkReader | string {
    const open: unknown = readMember(iterable, Symbol.asyncIterator)
    if (typeof open !== 'function') return describeStream(iterable)
    const iterator: unknown = Reflect.apply(open, iterable, [])
    if (typeof readMember(iterator, 'next') !== 'function') return 'its stream gave no iterator'
    return new ChunkReader(iterator as AsyncIterator<StreamChunk>)
  }

  next(): Promise<ChunkResult> {
    return this.#iterator.next()
  }

  /** Rejects with what the clean-up throws. */
  close(patience: Patience): Promise<void> {
    return closeIterator(this.#iterator, patience)
  }
}

function describeStream(value: unknown): string {
  if (!(value instanceof Promise)) return 'stream() gave no async iterable'
  // Nobody else will ever look at it.
  value.catch(() => {})
  return 'stream() gave a promise instead of an async iterable'
}

function readMember(target: unknown, key: PropertyKey): unknown {
  return typeof target === 'object' && target !== null ? Reflect.get(target, key) : undefined
}

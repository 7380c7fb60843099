import type { StreamChunk } from './types.ts'

/** The iterator of what an adapter gave, or what is wrong with it. Throws what the adapter's own code throws. */
export function openChunks(iterable: unknown): AsyncIterator<StreamChunk, undefined> | string {
  const open: unknown = readMember(iterable, Symbol.asyncIterator)
  if (typeof open !== 'function') return describeStream(iterable)
  const iterator: unknown = Reflect.apply(open, iterable, [])
  if (typeof readMember(iterator, 'next') !== 'function') return 'its stream gave no iterator'
  return iterator as AsyncIterator<StreamChunk, undefined>
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

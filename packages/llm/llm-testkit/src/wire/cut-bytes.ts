/**
 * Cuts at byte positions, so also inside a character or a line end. Positions may come in any order; those outside the
 * data, and repeated ones, cut nothing. The parts are views on one buffer and never empty.
 */
export function cutBytes(data: string | Uint8Array, positions: readonly number[]): Uint8Array[] {
  const bytes = toBytes(data)
  const inside = positions.filter((position) => position > 0 && position < bytes.length)
  const edges = [...new Set(inside), bytes.length].toSorted((a, b) => a - b)
  return edges.map((edge, at) => bytes.subarray(edges[at - 1] ?? 0, edge)).filter((part) => part.length > 0)
}

/** Parts of `size` bytes, the last one shorter; 1 is the hardest test of a stream reader. */
export function cutEvery(data: string | Uint8Array, size: number): Uint8Array[] {
  if (!Number.isInteger(size) || size < 1)
    throw new RangeError(`Cannot cut every ${size} bytes: it takes a whole number from 1`)
  const bytes = toBytes(data)
  const count = Math.ceil(bytes.length / size)
  return Array.from({ length: count }, (_, part) => bytes.subarray(part * size, (part + 1) * size))
}

function toBytes(data: string | Uint8Array): Uint8Array {
  return typeof data === 'string' ? new TextEncoder().encode(data) : data
}

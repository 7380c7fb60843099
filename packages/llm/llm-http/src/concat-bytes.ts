/** Joins pieces into one array of bytes; a single piece comes back as it is. */
export function concatBytes(pieces: readonly Uint8Array[]): Uint8Array {
  const [only] = pieces
  if (only !== undefined && pieces.length === 1) return only
  let length = 0
  for (const piece of pieces) length += piece.length
  const joined = new Uint8Array(length)
  let offset = 0
  for (const piece of pieces) {
    joined.set(piece, offset)
    offset += piece.length
  }
  return joined
}

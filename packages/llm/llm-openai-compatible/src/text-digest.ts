/**
 * Fourteen base-36 digits that depend on the whole text and nothing else, so a name made from them is the same on
 * every rebuild. No defence against somebody who looks for collisions: whoever needs distinct names must check.
 */
export function textDigest(text: string): string {
  let low = 0x811c9dc5
  let high = 0x9e3779b9
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    low = Math.imul(low ^ code, 0x01000193)
    high = Math.imul(high ^ code ^ (low >>> 15), 0x85ebca6b)
  }
  return toDigits(mix(low ^ high)) + toDigits(mix(high))
}

/** Spreads every input bit over the whole word, so that the last digits differ too. */
function mix(word: number): number {
  const first = Math.imul(word ^ (word >>> 16), 0x7feb352d)
  const second = Math.imul(first ^ (first >>> 15), 0x846ca68b)
  return (second ^ (second >>> 16)) >>> 0
}

const toDigits = (word: number): string => word.toString(36).padStart(7, '0')

/** Counts by the names a wire gives them; one that is unknown is undefined, and so has no field in JSON. */
export type WireCounts = Readonly<Record<string, number | undefined>>

/** The sum of what is known; undefined when nothing is. */
export function sumKnown(counts: readonly (number | undefined)[]): number | undefined {
  const known = counts.filter((count) => count !== undefined)
  return known.length === 0 ? undefined : known.reduce((total, count) => total + count, 0)
}

/** The sum, if each of the counts is known. */
export function sumAll(counts: readonly (number | undefined)[]): number | undefined {
  return counts.includes(undefined) ? undefined : sumKnown(counts)
}

/** An object of counts that a server leaves out when it would be empty. */
export function unlessUnknown(counts: WireCounts): WireCounts | undefined {
  return Object.values(counts).some((count) => count !== undefined) ? counts : undefined
}

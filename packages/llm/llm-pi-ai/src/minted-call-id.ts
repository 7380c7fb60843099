/** The id itself while it is free, else the first free one with a number behind it. */
export function mintedCallId(id: string, taken: ReadonlySet<string>): string {
  for (let count = 1; ; count += 1) {
    const candidate = count === 1 ? id : `${id}_${count}`
    if (!taken.has(candidate)) return candidate
  }
}

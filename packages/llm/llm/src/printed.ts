/** A value as an error text shows it: short, and whatever it is. */
export function printed(value: unknown): string {
  if (typeof value === 'string')
    return value.length > 100 ? `a string of ${value.length} characters` : JSON.stringify(value)
  if (Array.isArray(value)) return `an array of ${value.length}`
  if (typeof value === 'function') return 'a function'
  return typeof value === 'object' && value !== null ? 'an object' : String(value)
}

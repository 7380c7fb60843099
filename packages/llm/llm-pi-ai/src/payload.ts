/** The body pi-ai is about to send, in the shape of its API. It is pi-ai's own object, edited in place. */
export type Payload = Record<string, unknown>

/** Sets a member below others, such as `config.topP`; what is missing on the way is made. */
export function setField(payload: Payload, path: string, value: unknown): void {
  const steps = path.split('.')
  const last = steps.pop() ?? path
  let at = payload
  for (const step of steps) {
    const next = at[step]
    if (isRecord(next)) at = next
    else at = at[step] = {}
  }
  at[last] = value
}

/** Reads a member below others; nothing where there is none on the way. */
export function getField(value: unknown, path: string): unknown {
  if (!isRecord(value)) return undefined
  // Most events have nothing of what is looked for, and there are many of them.
  const dot = path.indexOf('.')
  return dot === -1 ? value[path] : getField(value[path.slice(0, dot)], path.slice(dot + 1))
}

/** Any object but a list. */
export function isRecord(value: unknown): value is Payload {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The members of a list that are objects; none where there is no list. */
export function recordsOf(value: unknown): readonly Payload[] {
  return Array.isArray(value) ? value.filter(isRecord) : []
}

/** Reads one property of anything; a missing one, a primitive, or a getter that throws gives `undefined`. */
export function readProperty(target: unknown, key: PropertyKey): unknown {
  if ((typeof target !== 'object' || target === null) && typeof target !== 'function') return undefined
  try {
    return Reflect.get(target, key) as unknown
  } catch {
    return undefined
  }
}

/** Reads a property that must be a non-blank string; anything else gives `undefined`. */
export function readString(target: unknown, key: PropertyKey): string | undefined {
  const value = readProperty(target, key)
  return typeof value === 'string' && value.trim() !== '' ? value : undefined
}

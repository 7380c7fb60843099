/** Whether a value is an object as a literal or `JSON.parse` makes it, of this realm or of another. */
export function isPlainObject(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false
  const prototype: object | null = Object.getPrototypeOf(value)
  if (prototype === null || prototype === Object.prototype) return true
  // `Object.prototype` of another realm: the only root that owns this method.
  return Object.getPrototypeOf(prototype) === null && Object.hasOwn(prototype, 'isPrototypeOf')
}

/** The path of a member, as it would be written in code: `content[2].arguments`, `headers["x-id"]`. */
export function memberPath(parent: string, key: string | number): string {
  if (typeof key === 'number') return `${parent}[${key}]`
  if (!/^[\w$]+$/.test(key)) return `${parent}[${JSON.stringify(key.slice(0, 80))}]`
  return parent === '' ? key : `${parent}.${key}`
}

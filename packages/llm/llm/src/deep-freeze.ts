import { isPlainObject } from './plain-data.ts'

/** Roots that are frozen to the bottom, so that freezing one again costs a single look-up (L10). */
const frozen = new WeakSet<object>()

/**
 * Freezes plain data in place, to any depth, and returns it. Only arrays and plain objects are entered: signals,
 * functions, class instances, binary views, `Map` and `Set` stay as they are. Accessors are not called.
 */
export function deepFreeze<T>(value: T): T {
  if (!isContainer(value) || frozen.has(value)) return value
  const pending: object[] = [value]
  const entered = new Set<object>(pending)
  for (let item = pending.pop(); item !== undefined; item = pending.pop()) {
    for (const member of membersOf(item)) {
      if (!isContainer(member) || entered.has(member) || frozen.has(member)) continue
      entered.add(member)
      pending.push(member)
    }
    Object.freeze(item)
  }
  return markFrozen(value)
}

/** Remembers a value that is frozen to the bottom by its making. */
export function markFrozen<T extends object>(value: T): T {
  frozen.add(value)
  return value
}

function isContainer(value: unknown): value is object {
  return Array.isArray(value) || isPlainObject(value)
}

function membersOf(container: object): unknown[] {
  return Reflect.ownKeys(container).map(
    (key) => Object.getOwnPropertyDescriptor(container, key)?.value as unknown,
  )
}

const attributed = new WeakSet<object>()

/**
 * True the first time an error is seen. Errors travel outward through frames and nested dispatches, so the first
 * sight is where one began. Objects are remembered for good; primitives, which look alike, only within `local`.
 */
export function isFirstSight(error: unknown, local: Set<unknown>): boolean {
  if ((typeof error === 'object' && error !== null) || typeof error === 'function') {
    if (attributed.has(error)) return false
    attributed.add(error)
    return true
  }
  if (local.has(error)) return false
  local.add(error)
  return true
}

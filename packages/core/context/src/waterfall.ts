import { isFirstSight } from './blame.ts'
import type { WaterfallOptions } from './events.ts'
import type { ListenerEntry } from './listener-table.ts'

/** What stays the same for all frames of one call. */
export interface Dispatch<R> extends WaterfallOptions<R> {
  readonly chain: readonly ListenerEntry[]
  readonly terminal: (...args: never) => R
  /** Told about each error once, with the frame it began in. */
  readonly report: (error: unknown, plugin: string) => void
  /** Primitive errors already seen by this call. */
  readonly primitives: Set<unknown>
}

/** Runs the chain from `position` inwards; the terminal after the last listener (C5). */
export function runChain<R>(dispatch: Dispatch<R>, position: number, args: readonly unknown[]): R {
  const { chain } = dispatch
  let index = position
  while (chain[index]?.removed === true || chain[index]?.lifetime.closed === true) index += 1
  const listener = chain[index]
  if (listener === undefined) return runStep(dispatch, undefined, args)
  // Each frame has its own `next`, good for any number of calls, also after the listener is done.
  const next = (...replacement: readonly unknown[]): R =>
    runChain(dispatch, index + 1, replacement.length > 0 ? replacement : args)
  return runStep(dispatch, listener, [...args, next])
}

/** Calls the listener, or the terminal if there is none. The terminal belongs to the caller: it is not sealed. */
function runStep<R>(dispatch: Dispatch<R>, listener: ListenerEntry | undefined, args: readonly unknown[]): R {
  const { terminal, seal, primitives, report } = dispatch
  const blame = (error: unknown): void => {
    // The terminal's errors count as seen, so no listener that lets them pass is blamed.
    if (isFirstSight(error, primitives) && listener !== undefined) report(error, listener.frame.plugin)
  }
  try {
    const result: R = Reflect.apply(listener?.callback ?? terminal, undefined, args)
    // Watched before anyone outside can, so the innermost frame is always the first to see a rejection.
    if (result instanceof Promise) result.then(undefined, blame)
    return listener === undefined || seal === undefined ? result : seal(result, listener.frame)
  } catch (error) {
    blame(error)
    throw error
  }
}

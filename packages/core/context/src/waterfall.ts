import { isFirstSight } from './blame.ts'
import type { WaterfallFrame } from './events.ts'
import type { ListenerEntry } from './listener-table.ts'

/** What stays the same for all frames of one call. */
export interface Dispatch<R> {
  readonly chain: readonly ListenerEntry[]
  readonly terminal: (...args: never) => R
  readonly seal: ((result: R | Promise<Awaited<R>>, frame: WaterfallFrame) => R) | undefined
  /** Told about each error once, with the frame it began in. */
  readonly report: (error: unknown, plugin: string) => void
  /** Primitive errors already seen by this call. */
  readonly primitives: Set<unknown>
}

/** Runs the chain from `position` inwards; the terminal after the last listener (C5). */
export function runChain<R>(dispatch: Dispatch<R>, position: number, args: readonly unknown[]): R {
  const { chain } = dispatch
  let index = position
  while (chain[index]?.isLeaving() === true) index += 1
  const listener = chain[index]
  if (listener === undefined) return runTerminal(dispatch, args)
  // Each frame has its own `next`, good for any number of calls, also after the listener is done.
  const next = (...replacement: readonly unknown[]): R =>
    runChain(dispatch, index + 1, replacement.length > 0 ? replacement : args)
  return runListener(dispatch, listener, [...args, next])
}

function runListener<R>(dispatch: Dispatch<R>, listener: ListenerEntry, args: readonly unknown[]): R {
  const { plugin } = listener.frame
  const blame = (error: unknown): void => {
    if (isFirstSight(error, dispatch.primitives)) dispatch.report(error, plugin)
  }
  try {
    const result: R = Reflect.apply(listener.callback, undefined, args)
    // Watched before anyone outside can, so the innermost frame is always the first to see a rejection.
    if (result instanceof Promise) result.then(undefined, blame)
    return dispatch.seal === undefined ? result : dispatch.seal(result, listener.frame)
  } catch (error) {
    blame(error)
    throw error
  }
}

/** The terminal belongs to the caller: its errors are marked as seen, so no listener that lets them pass is blamed. */
function runTerminal<R>(dispatch: Dispatch<R>, args: readonly unknown[]): R {
  const pass = (error: unknown): void => void isFirstSight(error, dispatch.primitives)
  try {
    const result: R = Reflect.apply(dispatch.terminal, undefined, args)
    if (result instanceof Promise) result.then(undefined, pass)
    return result
  } catch (error) {
    pass(error)
    throw error
  }
}

import type { Scope } from './scope.ts'

/** Calls `action` so that neither a throw nor a rejection gets out; both go to `onFailure`. */
export function contain(action: () => unknown, onFailure: (error: unknown) => void): void {
  try {
    const result = action()
    if (isThenable(result)) Promise.resolve(result).then(undefined, onFailure)
  } catch (error) {
    onFailure(error)
  }
}

/** Calls every observer in order; a failing one is announced and starves nobody (C4). */
export function notify(scope: Scope, event: string, args: readonly unknown[]): void {
  for (const { removed, callback, frame } of scope.listeners.chain(event)) {
    if (removed) continue
    contain(
      () => Reflect.apply(callback, undefined, args),
      (error) => {
        // An observer of errors that fails itself must not be told about it: that could go on for ever.
        if (event === 'internal/error') print(error, frame.plugin)
        else announce(scope, error, frame.plugin)
      },
    )
  }
}

/** Tells `internal/error`, or the console when nobody listens there. */
export function announce(scope: Scope, error: unknown, plugin: string): void {
  if (scope.listeners.chain('internal/error').length === 0) print(error, plugin)
  else notify(scope, 'internal/error', [error, { plugin }])
}

function print(error: unknown, plugin: string): void {
  console.error(`Plugin "${plugin}" failed:`, error)
}

/** True for anything `await` would wait for, so promises of other realms and libraries count. */
export function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function'
}

/** Carries every failed undo of one disposal; nested disposals are flattened into it, in the order they failed. */
export class UndoFailures extends AggregateError {}

/** Adds what a disposal step threw, unpacking the failures of a nested disposal. */
export function collectFailure(failures: unknown[], error: unknown): void {
  if (error instanceof UndoFailures) failures.push(...error.errors)
  else failures.push(error)
}

/** Throws the failures together if there are any; `what` names the thing whose disposal met them. */
export function throwFailures(failures: readonly unknown[], what: string): void {
  if (failures.length === 0) return
  const message = `Could not undo everything of ${what}: ${failures.length} failed, see errors; the rest was undone`
  throw new UndoFailures(failures, message)
}

/** Takes one registration back. Awaited when it returns a promise. */
export type Undo = () => void | Promise<void>

/** Tells failed undos of a nested disposal, to be unpacked, from an `AggregateError` that an undo threw itself. */
class UndoFailures extends AggregateError {}

/**
 * Runs every undo, the latest first and one after the other, even if some fail; the failures are then thrown together,
 * those of nested disposals unpacked (C3). Awaits only promises: what can be undone at once is undone on return.
 */
export async function undoAll(undos: readonly Undo[], owner: string): Promise<void> {
  const failures: unknown[] = []
  for (const undo of undos.toReversed()) {
    try {
      const outcome = undo()
      if (outcome !== undefined) await outcome
    } catch (error) {
      failures.push(...(error instanceof UndoFailures ? error.errors : [error]))
    }
  }
  if (failures.length === 0) return
  const message = `Could not undo everything of ${owner}: ${failures.length} failed, see errors; the rest was undone`
  throw new UndoFailures(failures, message)
}

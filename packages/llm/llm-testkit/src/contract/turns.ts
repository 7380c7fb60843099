import { setImmediate } from 'node:timers/promises'

/** Lets I/O and promises that are ready happen; waits for no clock. */
export async function turns(count = 10): Promise<void> {
  for (let turn = 0; turn < count; turn += 1) await setImmediate()
}

/** Runs `action` and gives the promise rejections that nobody handled until the event loop came round. */
export async function unhandledDuring(action: () => Promise<unknown>): Promise<readonly unknown[]> {
  const unhandled: unknown[] = []
  const keep = (reason: unknown): void => void unhandled.push(reason)
  process.on('unhandledRejection', keep)
  try {
    await action()
    // Node announces them once the microtasks are done.
    for (let turn = 0; turn < 3; turn += 1) await new Promise((resolve) => setImmediate(resolve))
  } finally {
    process.off('unhandledRejection', keep)
  }
  return unhandled
}

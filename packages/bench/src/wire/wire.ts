import { benchAbortDelay } from './abort-delay.ts'
import { benchMemory } from './memory.ts'
import { startProvider } from './provider.ts'
import { benchThroughput } from './throughput.ts'

/** Everything between the socket and the assembled answer. */
export async function benchWire(): Promise<void> {
  const provider = await startProvider()
  try {
    await benchThroughput(provider)
    if (process.argv.length > 3) return
    await benchMemory(provider)
    await benchAbortDelay(provider)
  } finally {
    provider.stop()
  }
}

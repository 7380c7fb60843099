import { createUserMessage } from 'dsh-llm'
import { median } from '../measure.ts'
import { reportLine } from '../report.ts'
import type { Provider } from './provider.ts'
import { createStack } from './stack.ts'

const TIMES = 31
const request = { provider: 'endless', model: 'm', messages: [createUserMessage('Go')] }

/** How long after the abort the server sees the connection close. Reported, not judged. */
export async function benchAbortDelay(provider: Provider): Promise<void> {
  const { llm, dispose } = await createStack(provider.urlOf, ['endless'])
  const delays: number[] = []
  for (let time = 0; time < TIMES; time += 1) {
    const controller = new AbortController()
    let abortedAt = 0n
    let deltas = 0
    const closed = provider.nextClose()
    for await (const chunk of llm.stream({ ...request, signal: controller.signal })) {
      if (chunk.type !== 'text-delta') continue
      deltas += 1
      if (deltas !== 3) continue
      abortedAt = process.hrtime.bigint()
      controller.abort()
    }
    delays.push(Number((await closed) - abortedAt) / 1e6)
  }
  process.stdout.write('\nAbort in the middle of a stream, until the server sees the close\n')
  reportLine('median', `${median(delays).toFixed(2)} ms`)
  reportLine('longest', `${Math.max(...delays).toFixed(2)} ms`)
  await dispose()
}

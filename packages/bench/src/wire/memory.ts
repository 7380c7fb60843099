import { createUserMessage, type LlmRuntime, type StreamChunk } from 'dsh-llm'
import { heapBytes } from '../measure.ts'
import { reportLine, verdict } from '../report.ts'
import type { Provider } from './provider.ts'
import { createStack } from './stack.ts'

/** When the first sample is taken, and the distance to the last: by then nothing is warming up any more. */
const FIRST_SAMPLE = 100_000
const LAST_SAMPLE = 1_000_000
/** Less than any object would take. */
const BOUND_BYTES = 8

/** Heap growth over 10⁶ chunks of one open block, beyond its text (two bytes a unit, since it has Chinese in it). */
export async function benchMemory(provider: Provider): Promise<void> {
  const { llm, dispose } = await createStack(provider.urlOf, ['million'])
  process.stdout.write('\nMemory over a stream of 1,000,000 chunks, beyond the text of the open block\n')
  const read = async (observe: (chunk: StreamChunk) => void): Promise<void> => {
    for await (const chunk of llm.stream(request)) observe(chunk)
  }
  await reportGrowth('runtime (for await)', 1, read)
  await reportGrowth('runtime + assembly (generate)', 2, (observe) => generate(llm, observe))
  await dispose()
}

const request = { provider: 'million', model: 'm', messages: [createUserMessage('Go')] }

async function generate(llm: LlmRuntime, observe: (chunk: StreamChunk) => void): Promise<void> {
  await llm.generate(request, observe)
}

/** `copies` of the text are meant to be held: one to close the block with, and the reader's own. */
async function reportGrowth(
  name: string,
  copies: number,
  read: (observe: (chunk: StreamChunk) => void) => Promise<void>,
): Promise<void> {
  let count = 0
  let units = 0
  let first = 0
  let last = 0
  await read((chunk) => {
    if (chunk.type !== 'text-delta') return
    count += 1
    units += chunk.text.length
    if (count === FIRST_SAMPLE) first = heapBytes() - units * 2 * copies
    if (count === LAST_SAMPLE) last = heapBytes() - units * 2 * copies
  })
  if (count !== LAST_SAMPLE) throw new Error(`The stream had ${count} deltas instead of ${LAST_SAMPLE}`)
  const perChunk = (last - first) / (LAST_SAMPLE - FIRST_SAMPLE)
  reportLine(name, `${perChunk.toFixed(2).padStart(7)} bytes a chunk   ${verdict(perChunk, BOUND_BYTES)}`)
}

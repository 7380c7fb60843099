import { type Llm, use } from 'dsh-llm'
import retry from 'dsh-llm-retry'
import route from 'dsh-llm-route'
import { report } from '../report.ts'
import { type Provider, startProvider } from '../wire/provider.ts'
import { createStack, generateAnswer, streamAnswer } from '../wire/stack.ts'

const WORKLOADS = ['text', 'eight-calls']
const BOUND = 1.1

/** What retry and route cost a call that does not fail, end to end over the wire. */
export async function benchOverhead(): Promise<void> {
  const provider = await startProvider()
  try {
    for (const workload of WORKLOADS) await benchWorkload(provider, workload)
  } finally {
    provider.stop()
  }
}

async function benchWorkload(provider: Provider, workload: string): Promise<void> {
  const fallback = { from: { provider: workload }, on: ['SERVER'], to: [{ provider: 'spare', model: 'm' }] }
  const plain = await createStack(provider.urlOf, [workload])
  const retrying = await createStack(provider.urlOf, [workload], [use(retry)])
  const both = await createStack(
    provider.urlOf,
    [workload],
    [use(retry), use(route, { fallbacks: [fallback] })],
  )
  const run = (llm: Llm, read: typeof generateAnswer) => async (): Promise<void> =>
    void (await read(llm.llm, workload))
  await report({
    title: `The answer "${workload}" without a failure; floor: generate() without listeners`,
    floor: { name: 'generate()', run: run(plain, generateAnswer) },
    contenders: [
      { name: 'generate() with retry', bound: BOUND, run: run(retrying, generateAnswer) },
      { name: 'generate() with retry and route', bound: BOUND, run: run(both, generateAnswer) },
    ],
  })
  await report({
    title: 'The same with for await and an assembler',
    floor: { name: 'for await', run: run(plain, streamAnswer) },
    contenders: [{ name: 'for await with retry and route', bound: BOUND, run: run(both, streamAnswer) }],
  })
  for (const llm of [plain, retrying, both]) await llm.dispose()
}

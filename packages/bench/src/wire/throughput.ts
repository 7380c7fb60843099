import type { LlmRuntime } from 'dsh-llm'
import { report } from '../report.ts'
import { readByHand } from './floor.ts'
import type { Provider } from './provider.ts'
import { createStack, generateAnswer, streamAnswer } from './stack.ts'
import { workloadOf, workloads } from './workloads.ts'

/** How a workload is run and what it may cost in terms of the floor's CPU. */
interface Setting {
  readonly name: string
  readonly bound: number
  /** Streams at a time. */
  readonly streams?: number
  /** Answers one after the other, so that short ones can be measured. */
  readonly times?: number
}

const settings: readonly Setting[] = [
  { name: 'text', bound: 1.3 },
  { name: 'reasoning', bound: 1.3 },
  { name: 'arguments', bound: 1.3, times: 3 },
  { name: 'long-arguments', bound: 1.3 },
  { name: 'eight-calls', bound: 1.3 },
  { name: 'short', bound: 1.3, streams: 200 },
  { name: 'paced', bound: 0.9, streams: 50 },
]

type Read = () => Promise<number>

/** CPU of reading an answer end to end, with runtime and assembly, against doing it by hand. */
export async function benchThroughput(provider: Provider): Promise<void> {
  const { llm, dispose } = await createStack(
    provider.urlOf,
    workloads.map(({ name }) => name),
  )
  for (const setting of chosen()) await benchWorkload(provider, llm, setting)
  await dispose()
}

/** All of them, or those whose names stand behind `wire` on the command line. */
function chosen(): readonly Setting[] {
  const names = process.argv.slice(3)
  return names.length === 0 ? settings : settings.filter(({ name }) => names.includes(name))
}

async function benchWorkload(provider: Provider, llm: LlmRuntime, setting: Setting): Promise<void> {
  const { name, bound } = setting
  const { title, length } = workloadOf(name)
  const url = provider.urlOf(name)
  const run = (read: Read) => () => readAll(read, setting, length)
  await report({
    title: `${title}; floor: fetch + eventsource-parser + JSON.parse + concatenation`,
    floor: { name: 'by hand', run: run(() => readByHand(url)) },
    contenders: [
      { name: 'generate()', bound, run: run(() => generateAnswer(llm, name)) },
      { name: 'for await + BlockAssembler', bound, run: run(() => streamAnswer(llm, name)) },
    ],
  })
}

/** Runs a setting and makes sure that every answer came whole: a reader that loses something is no contender. */
async function readAll(read: Read, { streams = 1, times = 1 }: Setting, length: number): Promise<void> {
  for (let time = 0; time < times; time += 1) {
    const lengths = await Promise.all(Array.from({ length: streams }, () => read()))
    const wrong = lengths.find((received) => received !== length)
    if (wrong !== undefined) throw new Error(`An answer of ${length} units came with ${wrong}`)
  }
}

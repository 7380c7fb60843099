import { type Context, Service } from 'dsh-context'
import { createLlm } from 'dsh-llm'
import { median } from '../measure.ts'
import { reportLine } from '../report.ts'

const TIMES = 200_000

function nanoseconds(run: () => void): number {
  const rounds: number[] = []
  for (let round = 0; round < 7; round += 1) {
    const started = performance.now()
    for (let time = 0; time < TIMES; time += 1) run()
    rounds.push(((performance.now() - started) * 1e6) / TIMES)
  }
  return median(rounds)
}

class Empty extends Service {
  constructor(ctx: Context) {
    super(ctx, 'empty')
  }
}

/** The figures of C7. */
export async function benchContext(): Promise<void> {
  const { ctx, dispose } = await createLlm()
  await ctx.plugin(Empty)
  let reads = 0
  process.stdout.write('\nContext (absolute times; they mean something only against their bounds)\n')
  reportLine(
    'service read (bound 100)',
    `${nanoseconds(() => void (reads += ctx.llm === undefined ? 0 : 1)).toFixed(0)} ns`,
  )
  reportLine(
    'on + off (bound 5,000)',
    `${nanoseconds(() => void ctx.on('llm/adapters-updated', () => {})()).toFixed(0)} ns`,
  )
  for (let at = 0; at < 3; at += 1) ctx.on('llm/stream', (_request, next) => next())
  const stream = (async function* () {})()
  const call = (): unknown =>
    ctx.waterfall('llm/stream', [{ provider: 'p', model: 'm', messages: [] }], () => stream)
  reportLine('waterfall of three listeners (bound 1,000)', `${nanoseconds(() => void call()).toFixed(0)} ns`)
  await dispose()
}

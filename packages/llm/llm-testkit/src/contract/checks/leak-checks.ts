import { getEventListeners } from 'node:events'
import type { AdapterRun } from '../adapter-run.ts'
import type { CheckDefinition } from '../contract-check.ts'
import { must } from '../contract-rules.ts'
import type { ContractScript, ContractStage } from '../contract-stage.ts'
import { turns } from '../turns.ts'

interface WayOut {
  readonly name: string
  readonly script: ContractScript
  readonly leave: (run: AdapterRun, abort: () => void) => Promise<unknown>
}

const ways: readonly WayOut[] = [
  { name: 'the finish', script: [{ text: ['Hi', ' there'] }], leave: (run) => run.toEnd() },
  { name: 'a failure', script: [{ text: ['Hi'], end: 'cut' }], leave: (run) => run.toEnd() },
  {
    name: 'return()',
    script: [{ text: ['Hi'], end: 'hang' }],
    leave: async (run) => (await run.toText()).leave(),
  },
  {
    name: 'an abort',
    script: [{ text: ['Hi'], end: 'hang' }],
    async leave(run, abort) {
      await run.toText()
      const ended = run.toEnd()
      await turns()
      abort()
      await ended
    },
  },
]

/** What must be gone after every way out: listeners on the signal, timers, the exchange itself. */
export const leakChecks: readonly CheckDefinition[] = ways.map(({ name, script, leave }) => ({
  name: `leaves nothing behind after ${name}`,
  rule: 'A9',
  async run(stage) {
    const adapter = await stage.play(script)
    const timersBefore = refTimers()
    const controller = new AbortController()
    const { signal } = controller
    const run = stage.start(adapter, { signal })
    await stage.within(
      leave(run, () => controller.abort()),
      'A2',
      `the run did not end by ${name}`,
    )
    await settled(stage, () => getEventListeners(signal, 'abort').length === 0)
    const listeners = getEventListeners(signal, 'abort').length
    must(listeners === 0, 'A9', () => `${listeners} listener(s) stayed on the signal after ${name}`)
    must(
      stage.clock.pending === 0,
      'A9',
      () => `${stage.clock.pending} timer(s) of the injected clock wait after ${name}`,
    )
    must(
      refTimers() <= timersBefore,
      'A9',
      () => `a timer of the platform still keeps the process alive after ${name}`,
    )
    const [request] = stage.requests
    if (request !== undefined)
      await stage.within(request.closed, 'A9', `the connection stayed busy after ${name} and did not end`)
  },
}))

async function settled(stage: ContractStage, isClean: () => boolean): Promise<void> {
  const isOver = (): boolean => isClean() && stage.clock.pending === 0
  for (let attempt = 0; attempt < 50 && !isOver(); attempt += 1) await turns()
}

/** Timers that keep the process from ending. */
function refTimers(): number {
  return process.getActiveResourcesInfo().filter((resource) => resource === 'Timeout').length
}

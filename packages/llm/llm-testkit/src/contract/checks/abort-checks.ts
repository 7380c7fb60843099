import type { AdapterRun } from '../adapter-run.ts'
import type { CheckDefinition } from '../contract-check.ts'
import { must } from '../contract-rules.ts'
import type { ContractStage } from '../contract-stage.ts'
import { turns } from '../turns.ts'

/** The abort of a call at each of its moments. A pull that waits must settle, and the connection must go. */
export const abortChecks: readonly CheckDefinition[] = [
  {
    name: 'sends nothing when the signal is aborted before the first pull',
    rule: 'A2',
    async run(stage) {
      const adapter = await stage.play([{ text: 'Hi' }])
      const controller = new AbortController()
      const run = stage.start(adapter, { signal: controller.signal })
      controller.abort()
      await stage.within(run.toEnd(), 'A2', 'an aborted run did not end')
      assertAborted(run)
      must(stage.requests.length === 0, 'A2', () => 'a request was sent although the signal was aborted')
    },
  },
  {
    name: 'ends when it is aborted before the answer begins',
    rule: 'A2',
    run: (stage) => abortWhileWaiting(stage, { end: 'hang' }),
  },
  {
    name: 'ends when it is aborted between two pieces of the answer',
    rule: 'A2',
    run: (stage) => abortWhileWaiting(stage, { text: ['One '], end: 'hang' }),
  },
  {
    name: 'ends when it is aborted while an error body hangs',
    rule: 'A2',
    onWire: true,
    async run(stage) {
      const controller = new AbortController()
      const adapter = await stage.serve([{ ...stage.refusal(500, 'x'), chunks: '{"err', end: 'hang' }])
      const run = stage.start(adapter, { signal: controller.signal })
      const ended = run.toEnd()
      const request = await stage.within(stage.server.waitForRequest(), 'A1', 'no request was sent')
      await request.when(({ chunksWritten }) => chunksWritten === 1)
      await turns()
      controller.abort()
      await stage.within(ended, 'A2', 'a waiting pull did not settle after the abort')
      await stage.expectLeft(request, 'after the abort')
    },
  },
  {
    name: 'does nothing more when it is aborted after the finish',
    rule: 'A2',
    async run(stage) {
      const controller = new AbortController()
      const adapter = await stage.play([{ text: 'Hi' }])
      const run = await stage.run(adapter, { signal: controller.signal })
      const { length } = run.chunks
      controller.abort()
      await turns()
      const goesOn = await stage.within(run.pull(), 'A2', 'a pull after the end did not settle')
      must(!goesOn && run.chunks.length === length, 'A2', () => 'a chunk came after the finish and the abort')
      must(run.reason?.kind === 'stop', 'A2', () => `the finished run became ${run.describeEnd()}`)
    },
  },
  {
    name: 'serves the next call after an abort',
    rule: 'A9',
    async run(stage) {
      const adapter = await stage.play([{ text: ['One '], end: 'hang' }, { text: 'Next' }])
      const controller = new AbortController()
      const run = await stage.within(
        stage.start(adapter, { signal: controller.signal }).toText(),
        'A5',
        'text that has arrived was not given out',
      )
      controller.abort()
      await stage.within(run.toEnd(), 'A2', 'a pull did not settle after the abort')
      const next = await stage.run(adapter)
      must(next.text === 'Next', 'A9', () => `the call after an aborted one ended with ${next.describeEnd()}`)
    },
  },
]

async function abortWhileWaiting(
  stage: ContractStage,
  answer: { readonly text?: readonly string[]; readonly end: 'hang' },
): Promise<void> {
  const controller = new AbortController()
  const run = stage.start(await stage.play([answer]), { signal: controller.signal })
  if (answer.text !== undefined)
    await stage.within(run.toText(), 'A5', 'text that has arrived was not given out')
  const ended = run.toEnd()
  const request = stage.hasWire
    ? await stage.within(stage.server.waitForRequest(), 'A1', 'no request was sent')
    : undefined
  await turns()
  controller.abort()
  await stage.within(ended, 'A2', 'a waiting pull did not settle after the abort')
  assertAborted(run)
  if (request !== undefined) await stage.expectLeft(request, 'after the abort')
}

/** However it says so: a throw, `aborted`, or an `error`, which the runtime tells as `aborted`. */
function assertAborted(run: AdapterRun): void {
  must(run.failure !== undefined, 'A2', () => `an aborted run ended with ${run.describeEnd()}`)
}

import type { CheckDefinition } from '../contract-check.ts'
import { must } from '../contract-rules.ts'
import { turns } from '../turns.ts'

/** A reader that leaves, as `break` does. */
export const leavingChecks: readonly CheckDefinition[] = [
  {
    name: 'sends nothing before the first pull, nor when it is left before that',
    rule: 'A1',
    async run(stage) {
      const run = stage.start(await stage.play([{ text: 'Hi' }]))
      await turns()
      must(stage.requests.length === 0, 'A1', () => 'a request was sent before the first pull')
      await stage.within(run.leave(), 'A2', 'return() before the first pull did not settle')
      await turns()
      must(stage.requests.length === 0, 'A1', () => 'a request was sent although nobody pulled')
    },
  },
  {
    name: 'lets go when a reader leaves in the middle',
    rule: 'A2',
    async run(stage) {
      const run = stage.start(await stage.play([{ text: ['One '], end: 'hang' }]))
      await stage.within(run.toText(), 'A5', 'text that has arrived was not given out')
      await stage.within(run.leave(), 'A2', 'return() did not settle')
      const [request] = stage.requests
      if (request !== undefined) await stage.expectLeft(request, 'after return()')
      const goesOn = await stage.within(run.pull(), 'A2', 'a pull after return() did not settle')
      must(!goesOn, 'A2', () => 'a chunk came after return()')
    },
  },
]

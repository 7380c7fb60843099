import { createUserMessage } from 'dsh-llm'
import type { CheckDefinition } from '../contract-check.ts'
import { must } from '../contract-rules.ts'
import type { ContractStage } from '../contract-stage.ts'

const callCount = 50

/** Many calls at once on one instance. */
export const concurrencyChecks: readonly CheckDefinition[] = [
  {
    name: `keeps ${callCount} calls at once apart`,
    rule: 'A9',
    async run(stage) {
      const adapter = await stage.play((request) => ({ text: answerTo(numberIn(request)) }))
      const numbers = Array.from({ length: callCount }, (_, number) => number)
      const runs = await Promise.all(numbers.map((number) => stage.run(adapter, { messages: [ask(number)] })))
      for (const [number, run] of runs.entries()) {
        run.assertGrammar()
        const wanted = answerTo(number).join('')
        must(
          run.text === wanted,
          'A9',
          () => `call ${number} got "${run.text}" (${run.describeEnd()}), due was "${wanted}"`,
        )
      }
      assertOneRequestEach(stage)
    },
  },
  {
    name: 'serves a call while another one waits',
    rule: 'A9',
    async run(stage) {
      const adapter = await stage.play((request) =>
        numberIn(request) === 0 ? { text: 'One', end: 'hang' } : { text: 'Next' },
      )
      const waiting = stage.start(adapter, { messages: [ask(0)] })
      await stage.within(waiting.toText(), 'A5', 'text that has arrived was not given out')
      const next = stage.start(adapter, { messages: [ask(1)] })
      await stage.within(next.toEnd(), 'A9', 'a call beside one that waits did not end')
      must(next.text === 'Next', 'A9', () => `a call beside one that waits ended with ${next.describeEnd()}`)
      await stage.within(waiting.leave(), 'A2', 'return() did not settle')
    },
  },
]

function ask(number: number): ReturnType<typeof createUserMessage> {
  return createUserMessage(`contract-call-${number}-end`)
}

function numberIn(request: string): number {
  return Number(/contract-call-(\d+)-end/.exec(request)?.[1] ?? -1)
}

function answerTo(number: number): readonly string[] {
  return ['answer ', 'to ', 'call ', String(number), ' and no other']
}

function assertOneRequestEach(stage: ContractStage): void {
  if (!stage.hasWire) return
  must(
    stage.requests.length === callCount,
    'A1',
    () => `${stage.requests.length} requests were sent for ${callCount} calls`,
  )
}

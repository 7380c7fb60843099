import { isDeepStrictEqual } from 'node:util'
import {
  type ContentBlock,
  createLlm,
  createMessage,
  createToolResultMessage,
  createUserMessage,
  type LlmRuntime,
  type Message,
  withoutReplayState,
} from 'dsh-llm'
import type { Answer } from '../../server/answer.ts'
import { quote } from '../../stream/describe-chunk.ts'
import type { CheckDefinition } from '../contract-check.ts'
import { must } from '../contract-rules.ts'
import { type ContractSetup, isWireSetup, type ReplayExpectation } from '../contract-setup.ts'
import type { ContractStage } from '../contract-stage.ts'

/** What must travel back on the next turn, for adapters that keep anything; for the others, that they keep nothing. */
export function replayChecks(setup: ContractSetup): readonly CheckDefinition[] {
  if (!isWireSetup(setup)) return []
  const { replayState } = setup
  if (replayState === undefined) return [keepsNothing]
  return [
    bringsBack(replayState),
    ...(replayState.rejection === undefined ? [] : [isRefused(replayState.rejection)]),
  ]
}

const keepsNothing: CheckDefinition = {
  name: 'keeps no replay state of which the contract does not know',
  rule: 'A10',
  onWire: true,
  async run(stage) {
    const { finish } = await stage.run(await stage.play([{ text: 'Hi' }]))
    const state = finish?.replayState
    must(
      state === undefined,
      'A10',
      () => `the finish has the replay state ${quote(state)}, but the setup declares none`,
    )
  },
}

function bringsBack(replayState: ReplayExpectation): CheckDefinition {
  const run = (stage: ContractStage): Promise<void> => roundTrip(stage, replayState)
  return { name: 'brings replay state back', rule: 'A10', onWire: true, run }
}

/** Through the runtime, which stamps the route, and through JSON, as a stored conversation goes. */
async function roundTrip(stage: ContractStage, { answer, comesBack }: ReplayExpectation): Promise<void> {
  const rendered = stage.wire.render({ text: 'Hi' })
  const adapter = await stage.serve([answer, rendered, rendered])
  await using host = await createLlm()
  const { llm } = host
  host.ctx.llm.registerAdapter([stage.provider], adapter)
  const { message, finish } = await stage.within(llm.generate(stage.options()), 'A2', 'a call did not end')
  must(
    message !== undefined,
    'A10',
    () =>
      `the answer with replay state ended with ${finish.failure?.code ?? finish.kind} "${finish.failure?.message ?? ''}"`,
  )
  const { source } = message
  const state = source.kind === 'model' ? source.replayState : undefined
  must(state !== undefined, 'A10', () => 'the finish of an answer with replay state has none')
  const stored = createMessage(JSON.parse(JSON.stringify(message)))
  const survives = isDeepStrictEqual(stored, message)
  must(survives, 'A10', () => `the replay state does not survive JSON: ${quote(state)}`)
  const follow = { ...stage.options(), messages: [...stage.options().messages, ...followUp(stored)] }
  await ask(stage, llm, follow)
  await ask(stage, llm, withoutReplayState(follow))
  const [, first, second] = stage.requests
  must(
    first !== undefined && comesBack(first),
    'A10',
    () => 'the state did not come back with the next request',
  )
  must(
    second !== undefined && !comesBack(second),
    'A10',
    () => 'the state came back although the message had none',
  )
}

async function ask(
  stage: ContractStage,
  llm: LlmRuntime,
  options: Parameters<LlmRuntime['generate']>[0],
): Promise<void> {
  const { finish } = await stage.within(llm.generate(options), 'A2', 'a call did not end')
  must(
    finish.isAnswer,
    'A10',
    () => `the next turn ended with ${finish.failure?.code}: ${finish.failure?.message}`,
  )
}

function followUp(answer: Message): readonly Message[] {
  const results = answer.content.flatMap((block: ContentBlock) =>
    block.type === 'tool-call' ? [createToolResultMessage({ callId: block.id, content: 'done' })] : [],
  )
  return [answer, ...results, createUserMessage('And now?')]
}

function isRefused(rejection: Answer): CheckDefinition {
  return {
    name: 'tells replay state that was refused',
    rule: 'A10',
    onWire: true,
    async run(stage) {
      const run = await stage.run(await stage.serve([rejection]))
      const seen = (): string =>
        `refused replay state came out as ${run.describeEnd()}, not REPLAY_STATE_REJECTED`
      must(run.failure?.code === 'REPLAY_STATE_REJECTED', 'A10', seen)
    },
  }
}

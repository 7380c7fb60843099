import {
  type AdapterRequest,
  createMessage,
  createUserMessage,
  deepFreeze,
  type GenerateOptions,
  type LlmAdapter,
  type Message,
} from 'dsh-llm'
import { AdapterRun } from '../adapter-run.ts'
import type { CheckDefinition } from '../contract-check.ts'
import { must } from '../contract-rules.ts'
import type { ContractStage } from '../contract-stage.ts'
import { assertWhole, conversation, tool } from './conversation.ts'

/** What an adapter does with the request it gets. */
export const requestChecks: readonly CheckDefinition[] = [
  {
    name: 'leaves a frozen request untouched',
    rule: 'A8',
    async run(stage) {
      const adapter = await stage.play([{ text: 'Hi' }])
      const request = deepFreeze(stage.request({ ...conversation(stage), ...fitting(adapter.options) }))
      const run = await runWith(stage, adapter, request)
      must(run.text === 'Hi', 'A8', () => `a frozen request ended with ${run.describeEnd()}`)
    },
  },
  {
    name: 'writes nothing into a request that is not frozen',
    rule: 'A8',
    async run(stage) {
      const adapter = await stage.play([{ text: 'Hi' }])
      const request = stage.request({ ...conversation(stage), ...fitting(adapter.options) })
      const before = JSON.stringify(request)
      await runWith(stage, adapter, request)
      must(JSON.stringify(request) === before, 'A8', () => 'the request was changed by the call')
    },
  },
  {
    name: 'carries a whole conversation',
    rule: 'A7',
    onWire: true,
    needs: ['calls'],
    async run(stage) {
      const adapter = await stage.play([{ text: 'Hi' }])
      const run = await stage.run(adapter, { ...conversation(stage), tools: [tool], system: 'contract-system' })
      must(run.text === 'Hi', 'A7', () => `a conversation with a call ended with ${run.describeEnd()}`)
      assertWhole(stage.requests[0]?.body ?? '', stage.carriesCallIds)
    },
  },
  {
    name: 'tells a tool that failed from one that did not',
    rule: 'A7',
    onWire: true,
    needs: ['calls'],
    async run(stage) {
      const adapter = await stage.play([{ text: 'Hi' }, { text: 'Hi' }])
      for (const isError of [false, true])
        await stage.run(adapter, { ...conversation(stage, isError), tools: [tool] })
      const [good, failed] = stage.requests.map(({ body }) => body)
      must(good !== failed, 'A7', () => 'a result with isError was sent like one without')
    },
  },
  {
    name: 'asks for the model of the request',
    rule: 'A7',
    onWire: true,
    async run(stage) {
      await stage.run(await stage.play([{ text: 'Hi' }]))
      const [request] = stage.requests
      const sent = `${request?.body} ${decodeURIComponent(request?.url ?? '')}`
      must(sent.includes(stage.model), 'A7', () => `the model "${stage.model}" is nowhere in the request`)
    },
  },
  {
    name: 'refuses content that its wire cannot carry',
    rule: 'A7',
    onWire: true,
    async run(stage) {
      const adapter = await stage.play([{ text: 'Hi' }])
      const run = await stage.run(adapter, { messages: [createUserMessage('look'), unknownContent()] })
      must(
        stage.requests.length === 0,
        'A7',
        () => 'a block of an unknown type was dropped or sent without a word',
      )
      const code = run.failure?.code
      must(
        code === 'UNSUPPORTED_CONTENT',
        'A7',
        () => `a block of an unknown type came out as ${run.describeEnd()}, not UNSUPPORTED_CONTENT`,
      )
    },
  },
]

/** With this very request and no copy of it. */
function runWith(stage: ContractStage, adapter: LlmAdapter, request: AdapterRequest): Promise<AdapterRun> {
  return stage.within(new AdapterRun(adapter, request).toEnd(), 'A2', 'the run did not end')
}

function fitting(options: ReadonlySet<string>): Partial<GenerateOptions> {
  return { ...(options.has('tools') && { tools: [tool] }), ...(options.has('stop') && { stop: ['END'] }) }
}

/** As a package would send it that merges a block of its own into `ContentBlockMap`. */
function unknownContent(): Message {
  const content: unknown = [{ type: 'contract-unknown', data: 'AAAA' }]
  return createMessage({ role: 'user', content: content as Message['content'], source: { kind: 'user' } })
}

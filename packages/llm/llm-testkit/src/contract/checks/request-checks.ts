import {
  type AdapterRequest,
  CallId,
  createAssistantMessage,
  createMessage,
  createToolResultMessage,
  createUserMessage,
  deepFreeze,
  type GenerateOptions,
  type LlmAdapter,
  type Message,
  type ToolSchema,
} from 'dsh-llm'
import { AdapterRun } from '../adapter-run.ts'
import type { CheckDefinition } from '../contract-check.ts'
import { must } from '../contract-rules.ts'
import type { ContractStage } from '../contract-stage.ts'

const tool: ToolSchema = {
  name: 'contract-tool',
  description: 'Contract tool',
  parameters: { type: 'object', properties: { city: { type: 'string' } } },
}

/** What an adapter does with the request it gets. */
export const requestChecks: readonly CheckDefinition[] = [
  {
    name: 'leaves a frozen request untouched',
    rule: 'A8',
    async run(stage) {
      const adapter = await stage.play([{ text: 'Hi' }])
      const request = deepFreeze(stage.request({ ...conversation(stage), ...fitting(adapter.options) }))
      const run = await runWith(stage, adapter, request)
      const isWrite = run.thrown instanceof TypeError
      must(
        !isWrite,
        'A8',
        () => `it failed on a frozen request, as one that writes to it: ${run.describeEnd()}`,
      )
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
      const body = stage.requests[0]?.body ?? ''
      for (const part of ['system', 'first', 'said', 'argument', 'result', 'last', 'tool'])
        must(
          body.includes(`contract-${part}`),
          'A7',
          () => `the request lacks "contract-${part}" of the conversation`,
        )
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

function conversation({ provider, model }: ContractStage): Pick<GenerateOptions, 'messages'> {
  const callId = CallId('call_contract')
  const call = {
    type: 'tool-call',
    id: callId,
    name: tool.name,
    arguments: '{"city":"contract-argument"}',
  } as const
  const messages = [
    createUserMessage('contract-first'),
    createAssistantMessage({
      content: [{ type: 'reasoning', text: 'so' }, { type: 'text', text: 'contract-said' }, call],
      source: { kind: 'model', provider, model },
    }),
    createToolResultMessage({ callId, content: 'contract-result' }),
    createUserMessage('contract-last'),
  ]
  return { messages }
}

/** As a package would send it that merges a block of its own into `ContentBlockMap`. */
function unknownContent(): Message {
  const content: unknown = [{ type: 'contract-unknown', data: 'AAAA' }]
  return createMessage({ role: 'user', content: content as Message['content'], source: { kind: 'user' } })
}

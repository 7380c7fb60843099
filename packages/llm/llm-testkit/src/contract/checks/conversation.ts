import {
  CallId,
  createAssistantMessage,
  createToolResultMessage,
  createUserMessage,
  type GenerateOptions,
  type ToolSchema,
} from 'dsh-llm'
import { must } from '../contract-rules.ts'
import type { ContractStage } from '../contract-stage.ts'
import { contractCallId } from '../render-scripted.ts'

/** The tool that the conversation calls. */
export const tool: ToolSchema = {
  name: 'contract-tool',
  description: 'contract-description',
  parameters: { type: 'object', properties: { 'contract-parameter': { type: 'string' } } },
}

const callId = CallId(contractCallId)

const turnParts = ['contract-first', 'contract-said', 'contract-result', 'contract-last']

const parts = [
  ...turnParts,
  'contract-system',
  'contract-argument',
  'contract-tool',
  'contract-description',
  'contract-parameter',
]

/**
 * A question, an answer with a call, its result, which may tell of a failure, and a word after it; each part can be told
 * from the others.
 */
export function conversation(
  { provider, model }: ContractStage,
  isError?: boolean,
): Pick<GenerateOptions, 'messages'> {
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
    createToolResultMessage({ callId, content: 'contract-result', isError }),
    createUserMessage('contract-last'),
  ]
  return { messages }
}

/** Every part is on the wire and the turns are in order; where calls have ids, call and result have the same. */
export function assertWhole(body: string, hasIds: boolean): void {
  for (const part of parts)
    must(body.includes(part), 'A7', () => `the request lacks "${part}" of the conversation`)
  assertOrder(body)
  const ids = body.split(callId).length - 1
  must(
    !hasIds || ids >= 2,
    'A7',
    () => `the id of the call came ${ids} time(s): it joins a call and its result`,
  )
}

function assertOrder(body: string): void {
  const positions = turnParts.map((part) => body.indexOf(part))
  const inOrder = positions.every((position, at) => at === 0 || position > (positions[at - 1] ?? 0))
  must(inOrder, 'A7', () => `the messages were sent in another order than ${turnParts.join(', ')}`)
}

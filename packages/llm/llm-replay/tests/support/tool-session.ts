import {
  CallId,
  collect,
  type CollectedAnswer,
  createToolResultMessage,
  createUserMessage,
  type GenerateOptions,
  type LlmRuntime,
  type Message,
  type ToolSchema,
} from 'dsh-llm'
import { chatCompletions, type ScriptStep } from 'dsh-llm-testkit'

const lookUp = (id: string): ScriptStep => ({
  chunks: chatCompletions({ text: 'Let me see.', calls: [{ name: 'look', id, arguments: '{"at":"here"}' }] }),
})

/** Two rounds with a tool, then the answer. */
export const toolScript: readonly ScriptStep[] = [
  lookUp('call_1'),
  lookUp('call_2'),
  { chunks: chatCompletions({ text: 'All is well.' }) },
]

const tools: readonly ToolSchema[] = ['look', 'find'].map((name) => ({
  name,
  description: name,
  parameters: { type: 'object' },
}))

/** How one run of the session differs from the recorded one. */
export interface Change {
  readonly more?: Partial<GenerateOptions>
  /** What the tool says in its round, from 1. */
  readonly toolResult?: (round: number) => string
}

/** A session over up to three calls, as a loop makes them; ends at the first failure. */
export async function runToolSession(
  llm: LlmRuntime,
  { more, toolResult = () => 'fine' }: Change = {},
): Promise<readonly CollectedAnswer[]> {
  const base = {
    provider: 'p',
    model: 'm',
    system: 'Be kind',
    temperature: 0.5,
    tools,
    sessionId: crypto.randomUUID(),
  }
  const messages: Message[] = [createUserMessage('How is it?')]
  const answers: CollectedAnswer[] = []
  for (let round = 1; round <= 3; round += 1) {
    const answer = await collect(llm.stream({ ...base, ...more, messages: [...messages] }))
    answers.push(answer)
    if (answer.message === undefined) break
    messages.push(answer.message)
    for (const block of answer.message.content) {
      if (block.type !== 'tool-call') continue
      messages.push(createToolResultMessage({ callId: CallId(block.id), content: toolResult(round) }))
    }
  }
  return answers
}
export const reorderedTools: readonly ToolSchema[] = tools.toReversed()

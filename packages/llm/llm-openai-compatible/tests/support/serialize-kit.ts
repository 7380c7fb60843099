import {
  CallId,
  type ContentBlock,
  createAssistantMessage,
  createMessage,
  createToolResultMessage,
  createUserMessage,
  type GenerateOptions,
  type Message,
  type ReplayEnvelope,
} from 'dsh-llm'

/** A request of the model `m` at the route `p`. */
export function requestOf(
  messages: readonly Message[],
  options: Partial<GenerateOptions> = {},
): GenerateOptions {
  return { provider: 'p', model: 'm', messages, ...options }
}

export const user = (...texts: string[]): Message => createUserMessage(texts.map(text))

export const system = (...texts: string[]): Message =>
  createMessage({ role: 'system', content: texts.map(text), source: { kind: 'plugin', plugin: 'notes' } })

export const assistant = (...content: ContentBlock[]): Message =>
  createAssistantMessage({ content, source: { kind: 'model', provider: 'elsewhere', model: 'other' } })

/** An assistant turn that the asked route itself gave, with what must travel back. */
export const ownAssistant = (replayState: ReplayEnvelope, ...content: ContentBlock[]): Message =>
  createAssistantMessage({ content, source: { kind: 'model', provider: 'p', model: 'm', replayState } })

export const result = (id: string, content: string | ContentBlock[], isError?: boolean): Message =>
  createToolResultMessage({ callId: CallId(id), content, isError })

export const text = (value: string): ContentBlock => ({ type: 'text', text: value })
export const reasoning = (value: string): ContentBlock => ({ type: 'reasoning', text: value })
export const call = (id: string, name = 'clock', argumentText = '{}'): ContentBlock => ({
  type: 'tool-call',
  id: CallId(id),
  name,
  arguments: argumentText,
})

export const tool = (name: string): { name: string; description: string; parameters: { type: string } } => ({
  name,
  description: 'A tool',
  parameters: { type: 'object' },
})

/** The code of the failure a function ends in, with its text. */
export function failureOf(run: () => unknown): { readonly code: unknown; readonly message: string } {
  try {
    run()
  } catch (error) {
    if (error instanceof Error)
      return { code: 'code' in error ? error.code : undefined, message: error.message }
  }
  return { code: 'no failure', message: '' }
}

import {
  CallId,
  type ContentBlock,
  createAssistantMessage,
  createMessage,
  createUserMessage,
  type Message,
} from '../../src/index.ts'

/** Short words for messages in tests, so that a history reads as one line. */
export const user = (text: string): Message => createUserMessage(text)

export const system = (text: string): Message =>
  createMessage({ role: 'system', content: text, source: { kind: 'plugin', plugin: 'test' } })

export const call = (id: string): ContentBlock => ({
  type: 'tool-call',
  id: CallId(id),
  name: 'look',
  arguments: '{}',
})

export const result = (id: string): ContentBlock => ({
  type: 'tool-result',
  toolCallId: CallId(id),
  content: [{ type: 'text', text: `result of ${id}` }],
})

export const text = (words: string): ContentBlock => ({ type: 'text', text: words })

/** An assistant message of the route `p`, with calls of the given ids. */
export const assistant = (...ids: readonly string[]): Message => says(text('words'), ...ids.map(call))

export const says = (...content: readonly ContentBlock[]): Message =>
  createAssistantMessage({ content, source: { kind: 'model', provider: 'p', model: 'm' } })

/** A user message with results of the given ids. */
export const results = (...ids: readonly string[]): Message => asUser(...ids.map(result))

export const asUser = (...content: readonly ContentBlock[]): Message => createUserMessage(content)

/** An assistant message with replay state of a provider. */
export const remembering = (provider: string): Message =>
  createAssistantMessage({
    content: 'words',
    source: { kind: 'model', provider, model: 'm', replayState: { response: { from: provider } } },
  })

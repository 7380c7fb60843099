/** One message of a request, reduced to what the responder reads. */
interface ChatRequestMessage {
  readonly role: string
  readonly text: string
  readonly hasReasoning: boolean
  /** The message as it came, for counting. */
  readonly raw: unknown
}

/** The part of a DeepSeek request that decides the answer. */
export interface ChatRequest {
  readonly model: string
  readonly messages: readonly ChatRequestMessage[]
  readonly toolNames: readonly string[]
  /** As they came, for counting. */
  readonly tools: unknown
  readonly isThinking: boolean
  readonly isStreamed: boolean
}

type Json = Readonly<Record<string, unknown>>

/** Gives `undefined` when the body has no model or no messages. */
export function parseChatRequest(body: unknown): ChatRequest | undefined {
  if (!isObject(body) || typeof body['model'] !== 'string') return undefined
  const messages = toObjects(body['messages']).map(toMessage)
  if (messages.length === 0) return undefined
  const tools = body['tool_choice'] === 'none' ? [] : toObjects(body['tools'])
  return {
    model: body['model'],
    messages,
    toolNames: tools.map(toToolName),
    tools: body['tools'],
    isThinking:
      !(isObject(body['thinking']) && body['thinking']['type'] === 'disabled') &&
      body['reasoning_effort'] !== 'none',
    isStreamed: body['stream'] === true,
  }
}

function toMessage(raw: Json): ChatRequestMessage {
  return {
    role: String(raw['role']),
    text: toText(raw['content']),
    hasReasoning: typeof raw['reasoning_content'] === 'string',
    raw,
  }
}

/** Content is a string, or a list of parts of which only text counts. */
function toText(content: unknown): string {
  if (typeof content === 'string') return content
  return toObjects(content)
    .map((part) => (typeof part['text'] === 'string' ? part['text'] : ''))
    .join('\n')
}

function toToolName(tool: Json): string {
  return isObject(tool['function']) ? String(tool['function']['name']) : ''
}

function toObjects(value: unknown): Json[] {
  return Array.isArray(value) ? value.filter(isObject) : []
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

import type { Answer } from '../server/answer.ts'
import { jsonAnswer } from '../server/answer.ts'
import type { ReceivedRequest } from '../server/received-request.ts'
import type { ChatRequest } from './chat-request.ts'

const invalid = 'invalid_request_error'

/** DeepSeek's error body; its `code` says the same for every fault but one, so nobody may rely on it. */
export function refuse(status: number, type: string, message: string): Answer {
  return jsonAnswer({ error: { message, type, param: null, code: invalid } }, { status })
}

/** The 401 for a request whose bearer key is not `requiredKey`; no key required, no refusal. */
export function refuseKey({ headers }: ReceivedRequest, requiredKey: string | undefined): Answer | undefined {
  const header = headers['authorization'] ?? ''
  if (requiredKey === undefined || header === `Bearer ${requiredKey}`) return undefined
  const message = `Authentication Fails, Your api key: ****${header.slice(7).slice(-4)} is invalid`
  return refuse(401, 'authentication_error', message)
}

/** The 400 for a body from which no conversation can be read. */
export function refuseBody(): Answer {
  return refuse(
    400,
    invalid,
    'Failed to deserialize the JSON body into the target type: it needs model and messages',
  )
}

/** The 400 for a history that lost its reasoning, which is what adapters get wrong most easily, or for an unstreamed answer. */
export function refuseRequest(request: ChatRequest): Answer | undefined {
  if (!request.isStreamed)
    return refuse(400, invalid, 'This embedded provider only streams: set stream to true')
  const mustEcho = request.isThinking && request.toolNames.length > 0
  const isLost = request.messages.some((message) => message.role === 'assistant' && !message.hasReasoning)
  if (!mustEcho || !isLost) return undefined
  return refuse(400, invalid, 'The `reasoning_content` in the thinking mode must be passed back to the API.')
}

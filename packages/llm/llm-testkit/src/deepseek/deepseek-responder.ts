import { createHash } from 'node:crypto'
import { type Answer, type ScriptFunction, jsonAnswer } from '../server/answer.ts'
import type { ReceivedRequest } from '../server/received-request.ts'
import { chatCompletions } from '../wire/chat-completions.ts'
import { deepseekDialect } from '../wire/chat-dialect.ts'
import type { NeutralAnswer } from '../wire/neutral-answer.ts'
import { sseComment } from '../wire/sse-frames.ts'
import { type ChatRequest, parseChatRequest } from './chat-request.ts'
import { refuse, refuseBody, refuseKey, refuseRequest } from './refusal.ts'
import { toReply } from './reply.ts'
import { countTokens, toTokenGroups } from './tokens.ts'

/** How the embedded provider behaves. */
export interface DeepseekResponderOptions {
  /** Milliseconds between groups of tokens: 12 by default, which keeps an answer below three seconds; 0 for none. */
  readonly paceMs?: number | undefined
  /** The only API key that is let in; without it every request is. */
  readonly requireKey?: string | undefined
}

const maxPieces = 100
const queueWaitFactor = 10
const models = ['deepseek-flash', 'deepseek-v4-pro']

/**
 * A script that speaks DeepSeek's wire without a model behind it: it lists a folder through the `list_directory` tool and
 * answers from the real result. The same request always gets the same bytes.
 */
export function deepseekResponder(options: DeepseekResponderOptions = {}): ScriptFunction {
  const { paceMs = 12, requireKey } = options
  return (request) => {
    const answer = refuseKey(request, requireKey) ?? route(request, paceMs)
    return { ...answer, headers: { ...answer.headers, 'x-ds-trace-id': digest(request.body).slice(0, 32) } }
  }
}

function route(request: ReceivedRequest, paceMs: number): Answer {
  const endpoint = `${request.method} ${request.path}`
  if (endpoint.startsWith('GET ') && endpoint.endsWith('/models')) return listModels()
  if (endpoint.startsWith('POST ') && endpoint.endsWith('/chat/completions')) return complete(request, paceMs)
  return refuse(404, 'invalid_request_error', `Nothing answers ${endpoint}`)
}

function listModels(): Answer {
  return jsonAnswer({
    object: 'list',
    data: models.map((id) => ({ id, object: 'model', owned_by: 'deepseek' })),
  })
}

function complete({ json, body }: ReceivedRequest, paceMs: number): Answer {
  const chat = parseChatRequest(json)
  if (chat === undefined) return refuseBody()
  return refuseRequest(chat) ?? stream(chat, body, paceMs)
}

function stream(chat: ChatRequest, body: string, paceMs: number): Answer {
  const frames = chatCompletions(toSpokenReply(chat, body), {
    ...deepseekDialect,
    id: toUuid(digest(body)),
    model: chat.model,
  })
  const chunks = [sseComment('keep-alive'), sseComment('keep-alive'), ...frames]
  return {
    headers: { 'content-type': 'text/event-stream; charset=utf-8' },
    chunks,
    delaysMs: chunks.map((_, at) => (at === 1 || at === 2 ? paceMs * queueWaitFactor : paceMs)),
  }
}

function toSpokenReply(chat: ChatRequest, body: string): NeutralAnswer {
  const reply = toReply(chat)
  return {
    ...reply,
    reasoning: chat.isThinking ? toTokenGroups(String(reply.reasoning ?? ''), maxPieces) : undefined,
    text: toTokenGroups(String(reply.text ?? ''), maxPieces),
    usage: countTokens(chat, body, reply),
  }
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

function toUuid(hex: string): string {
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20, 32)].join('-')
}

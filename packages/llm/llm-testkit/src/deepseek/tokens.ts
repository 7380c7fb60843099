import type { NeutralAnswer, NeutralUsage } from '../wire/neutral-answer.ts'
import { toPieces } from '../wire/neutral-answer.ts'
import type { ChatRequest } from './chat-request.ts'

const bytesPerToken = 4
const cacheUnitTokens = 64

/**
 * Counts computed from sizes alone. Everything before the last answer of the model was a prompt once, so it is a cache
 * hit, in whole units as DeepSeek stores them.
 */
export function countTokens(request: ChatRequest, body: string, reply: NeutralAnswer): NeutralUsage {
  const promptTokens = toTokens(body)
  const cacheReadTokens = Math.min(cachedTokens(request), wholeUnits(promptTokens))
  const reasoningTokens = request.isThinking ? toTokens(toPieces(reply.reasoning).join('')) : undefined
  const callTokens = (reply.calls ?? []).map((call) => toTokens(call.name + toPieces(call.arguments).join('')))
  const visibleTokens = callTokens.reduce(
    (total, tokens) => total + tokens,
    toTokens(toPieces(reply.text).join('')),
  )
  return {
    inputTokens: promptTokens - cacheReadTokens,
    cacheReadTokens,
    outputTokens: visibleTokens + (reasoningTokens ?? 0),
    reasoningTokens,
  }
}

function cachedTokens({ messages, tools }: ChatRequest): number {
  const lastAnswer = messages.findLastIndex((message) => message.role === 'assistant')
  if (lastAnswer === -1) return 0
  const prefix = messages.slice(0, lastAnswer).map((message) => message.raw)
  return wholeUnits(toTokens(JSON.stringify({ prefix, tools })))
}

function toTokens(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / bytesPerToken)
}

function wholeUnits(tokens: number): number {
  return Math.floor(tokens / cacheUnitTokens) * cacheUnitTokens
}

/** Words with the blanks before them, several to a piece if there are more than `maxPieces`. */
export function toTokenGroups(text: string, maxPieces: number): string[] {
  const words = text.match(/\s*\S+\s*$|\s*\S+/g) ?? []
  const size = Math.ceil(words.length / maxPieces)
  const count = Math.ceil(words.length / Math.max(size, 1))
  return Array.from({ length: count }, (_, group) => words.slice(group * size, (group + 1) * size).join(''))
}

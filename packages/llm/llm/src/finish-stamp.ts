import { detach } from './detach.ts'
import { isPlainObject } from './plain-data.ts'
import { readString } from './read-property.ts'
import type { FinishChunk, FinishReason, GenerateOptions, ReplayEnvelope, ResponseInfo } from './types.ts'

const wireFacts = ['id', 'servedModel', 'requestId', 'rawFinishReason'] as const

/**
 * A frozen finish with the route it really came from, failures included. What else the wire reported about the response
 * stays, odd values do not. Throws for replay state that could not be stored as JSON.
 */
export function stampFinish(
  reason: FinishReason,
  route: GenerateOptions,
  facts: Partial<FinishChunk> = {},
): FinishChunk {
  const response = toResponse(route, facts.response)
  const failed = reason.kind === 'error' || reason.kind === 'aborted'
  if (failed || facts.replayState === undefined) return Object.freeze({ type: 'finish', reason, response })
  return Object.freeze({ type: 'finish', reason, replayState: toEnvelope(facts.replayState), response })
}

function toResponse(route: GenerateOptions, facts: unknown): ResponseInfo {
  // The request may be one that could not be admitted, so nothing of it is taken on trust.
  const response: { provider: string; model: string } & Partial<Record<(typeof wireFacts)[number], string>> = {
    provider: readString(route, 'provider') ?? '',
    model: readString(route, 'model') ?? '',
  }
  for (const name of wireFacts) {
    const value = readString(facts, name)
    if (value !== undefined) response[name] = value
  }
  return Object.freeze(response as ResponseInfo)
}

function toEnvelope(replayState: unknown): ReplayEnvelope {
  const envelope: unknown = detach(replayState, 'replayState')
  const isEnvelope = isPlainObject(envelope) && 'response' in envelope
  if (isEnvelope && Array.isArray(envelope['blocks'] ?? [])) return envelope as object as ReplayEnvelope
  throw new TypeError('replayState is no envelope of response and blocks')
}

import { detach } from './detach.ts'
import type { ProviderRequestId } from './ids.ts'
import { isPlainObject } from './plain-data.ts'
import { present } from './present.ts'
import { readString } from './read-property.ts'
import type { FinishChunk, FinishReason, GenerateOptions, ReplayEnvelope, ResponseInfo } from './types.ts'

/**
 * A frozen finish with the route it really came from, failures included. What else the wire reported about the response
 * stays, odd values do not. Throws for replay state that could not be stored as JSON.
 */
export function stampFinish(
  reason: FinishReason,
  route: GenerateOptions,
  facts: Partial<FinishChunk> = {},
): FinishChunk {
  const failed = reason.kind === 'error' || reason.kind === 'aborted'
  const { replayState } = failed ? {} : facts
  return Object.freeze(
    present<FinishChunk>({
      type: 'finish',
      reason,
      replayState: replayState === undefined ? undefined : toEnvelope(replayState),
      response: toResponse(route, facts.response),
    }),
  )
}

function toResponse(route: GenerateOptions, facts: unknown): ResponseInfo {
  return Object.freeze(
    present({
      // The request may be one that could not be admitted, so nothing of it is taken on trust.
      provider: readString(route, 'provider') ?? '',
      model: readString(route, 'model') ?? '',
      id: readString(facts, 'id'),
      servedModel: readString(facts, 'servedModel'),
      requestId: readString(facts, 'requestId') as ProviderRequestId | undefined,
      rawFinishReason: readString(facts, 'rawFinishReason'),
    }),
  )
}

function toEnvelope(replayState: unknown): ReplayEnvelope {
  const envelope: unknown = detach(replayState, 'replayState')
  const isEnvelope = isPlainObject(envelope) && 'response' in envelope
  if (isEnvelope && Array.isArray(envelope['blocks'] ?? [])) return envelope as object as ReplayEnvelope
  throw new TypeError('replayState is no envelope of response and blocks')
}

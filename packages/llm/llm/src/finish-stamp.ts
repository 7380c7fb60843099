import { createFailure } from './failure-facts.ts'
import { readString } from './read-property.ts'
import type { FinishChunk, FinishReason, GenerateOptions } from './types.ts'

/**
 * A copy of a finish with the route it really came from, failures included, and with its failure reduced to sound
 * facts. Whatever else the wire reported about the response stays.
 */
export function stampFinish(chunk: FinishChunk, route: GenerateOptions): FinishChunk {
  // The request may be one that could not be admitted, so nothing of it is taken on trust.
  const provider = readString(route, 'provider') ?? ''
  const model = readString(route, 'model') ?? ''
  const response = Object.freeze({ ...chunk.response, provider, model })
  const replayState = chunk.replayState
  const finish: FinishChunk = { type: 'finish', reason: toSoundReason(chunk.reason), response }
  const answered = !('failure' in finish.reason)
  return Object.freeze(answered && replayState !== undefined ? { ...finish, replayState } : finish)
}

function toSoundReason(reason: FinishReason): FinishReason {
  if (reason.kind !== 'error' && reason.kind !== 'aborted') return Object.freeze({ ...reason })
  const { message, code } = reason.failure
  return Object.freeze({ kind: reason.kind, failure: createFailure(message, code, reason.failure) })
}

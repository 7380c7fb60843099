import { createFailure } from './failure-facts.ts'
import type { FinishReason } from './types.ts'

/**
 * The reason of an adapter's finish as consumers may see it: `stop` without content is a failure (R9), and `aborted`
 * means that the code says so (L6). Frozen; a failure is reduced to sound facts.
 */
export function soundReason(reason: FinishReason, hasContent: boolean): FinishReason {
  if (reason.kind === 'stop' && !hasContent) {
    const failure = createFailure('The provider ended its answer without any content', 'EMPTY_RESPONSE')
    return Object.freeze({ kind: 'error', failure })
  }
  if (reason.kind !== 'error' && reason.kind !== 'aborted') return Object.freeze({ ...reason })
  const { message, code } = reason.failure
  const kind = code === 'ABORTED' ? 'aborted' : 'error'
  return Object.freeze({ kind, failure: createFailure(message, code, reason.failure) })
}

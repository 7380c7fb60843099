import { LlmError } from 'dsh-llm'
import type { LlmReplay } from './llm-replay.ts'

/** What is known of a test when it is over. */
export interface TestFacts {
  readonly hasFailed: boolean
  readonly allowsMisses: boolean
}

/**
 * Throws what the end of a test should tell of its recording: the first miss, which explains a failure better than the
 * assertion that followed it; for a test that passed also calls that were never asked for, or could not be written.
 */
export function assertSound(recording: LlmReplay, { hasFailed, allowsMisses }: TestFacts): void {
  const { misses, dropped, file } = recording.report()
  const [miss] = misses
  if (miss !== undefined && !allowsMisses) throw new LlmError(withCount(miss.message, misses), miss.code)
  if (hasFailed) return
  recording.assertConsumed()
  const [reason] = dropped
  if (reason === undefined) return
  throw new LlmError(
    withCount(`A call could not be written to the recording ${file}: ${reason}`, dropped),
    'INVALID_RECORDING',
  )
}

function withCount(text: string, all: readonly unknown[]): string {
  const more = all.length > 1 ? `, the first of ${all.length}` : ''
  return `${text} (DSH_RECORD=all records again${more})`
}

import { LlmError } from 'dsh-llm'
import type { PiModel } from './pi-api.ts'
import type { Ask } from './protocol.ts'

/** pi-ai's words for the efforts above `off`. */
export const effortWords = ['minimal', 'low', 'medium', 'high', 'xhigh', 'max'] as const

/** Whether a call asks the model to think, by an effort or by tokens for it. */
export function isThinking({ request: { reasoningEffort }, own }: Pick<Ask, 'request' | 'own'>): boolean {
  return reasoningEffort === undefined ? own.thinkingBudgetTokens !== undefined : reasoningEffort !== 'off'
}

export function isEffortWord(effort: string): boolean {
  return effortWords.some((word) => word === effort)
}

/** The provider's own word for an effort, if the model has one. */
export function mappedEffort(effort: string, { thinkingLevelMap = {} }: PiModel): string | undefined {
  const mapped: unknown = Reflect.get(thinkingLevelMap, effort)
  return typeof mapped === 'string' ? mapped : undefined
}

/** An effort that is neither a word of pi-ai's nor mapped by the model is `UNSUPPORTED_REASONING_EFFORT`. */
export function assertKnownEffort(effort: string, model: PiModel): void {
  if (mappedEffort(effort, model) === undefined && !isEffortWord(effort)) throw unknownEffort(effort)
}

/** Where no list of a model says which efforts there are. */
export function unknownEffort(effort: string, known: Iterable<string> = effortWords): LlmError {
  return new LlmError(
    `The reasoning effort "${effort.slice(0, 60)}" is not known to this API; use off, ${[...known].join(', ')}`,
    'UNSUPPORTED_REASONING_EFFORT',
  )
}

import { LlmError } from 'dsh-llm'
import type { Ask } from './protocol.ts'

/** pi-ai's words for the efforts above `off`. */
export const effortWords: readonly string[] = ['minimal', 'low', 'medium', 'high', 'xhigh', 'max']

/** Whether a call asks the model to think, by an effort or by tokens for it. */
export function isThinking({ request: { reasoningEffort }, own }: Pick<Ask, 'request' | 'own'>): boolean {
  return reasoningEffort === undefined ? own.thinkingBudgetTokens !== undefined : reasoningEffort !== 'off'
}

/** Where no list of a model says which efforts there are. */
export function unknownEffort(effort: string, known: Iterable<string> = effortWords): LlmError {
  return new LlmError(
    `The reasoning effort "${effort.slice(0, 60)}" is not known to this API; use off, ${[...known].join(', ')}`,
    'UNSUPPORTED_REASONING_EFFORT',
  )
}

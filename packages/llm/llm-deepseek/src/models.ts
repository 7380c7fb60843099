import type { ReasoningEffortInfo } from 'dsh-llm'
import type { DeclaredModel } from 'dsh-llm-openai-compatible'

/** Upper bound of `maxTokens`, as the endpoint states it: 384 times 1,024. */
export const MAX_OUTPUT_TOKENS = 393_216

/** Words for `reasoningEffort`. DeepSeek knows more, but reads them as one of these, and not always as the same. */
export const EFFORTS: readonly ReasoningEffortInfo[] = Object.freeze([
  { id: 'off', name: 'Off', description: 'Answers without thinking' },
  { id: 'low', name: 'Low' },
  { id: 'high', name: 'High' },
  { id: 'max', name: 'Max', description: 'Thinks longest; up to 128K tokens where a request does not say' },
])

/** What the models share: the context is counted in tokens, and thinking is on unless a request says otherwise. */
const shared = Object.freeze({
  inputModalities: ['text'],
  contextWindow: 1_000_000,
  defaultMaxTokens: 65_536,
  efforts: EFFORTS,
  defaultEffort: 'high',
})

/**
 * The models DeepSeek offers, floating names all. Sources: "Models & Pricing" and news of DeepSeek's API docs, read in
 * November 2026. Images are left out of the modalities, since no content block carries them yet.
 */
export const models: readonly DeclaredModel[] = Object.freeze([
  { id: 'deepseek-flash', name: 'DeepSeek Flash', ...shared },
  { id: 'deepseek-v4-pro', name: 'DeepSeek V4 Pro', ...shared },
])

/** Retired names that are still answered, by another model; they are resolved but not offered. */
export const retiredNames: ReadonlyMap<string, string> = new Map([
  ['deepseek-v4-flash', 'deepseek-flash'],
  ['deepseek-v4-flash-vision-exp', 'deepseek-flash'],
])

/** The known models with those of a configuration, which replace any of the same name. */
export function withDeclared(declared: readonly DeclaredModel[] = []): readonly DeclaredModel[] {
  const names = new Set(declared.map(({ id }) => id))
  return [...models.filter(({ id }) => !names.has(id)), ...declared]
}

import type { GenerateOptions } from './types.ts'

/** What decides how a model answers, without what it is asked: the part of a request that is worth logging on change. */
export type LlmCallConfig = Pick<
  GenerateOptions,
  'provider' | 'model' | 'reasoningEffort' | 'temperature' | 'topP' | 'seed' | 'maxTokens' | 'stop'
>

const scalars = ['provider', 'model', 'reasoningEffort', 'temperature', 'topP', 'seed', 'maxTokens'] as const

/** Whether two configs ask for the same; an absent field equals `undefined`, an empty `stop` equals none. */
export function callConfigEquals(a: LlmCallConfig, b: LlmCallConfig): boolean {
  return scalars.every((name) => Object.is(a[name], b[name])) && sameStrings(a.stop ?? [], b.stop ?? [])
}

/** The config of a request, detached and frozen, with nothing in it that was not given. */
export function toCallConfig(options: LlmCallConfig): LlmCallConfig {
  const given = scalars
    .filter((name) => options[name] !== undefined)
    .map((name) => [name, options[name]] as const)
  const { provider, model, stop = [] } = options
  const stopPart = stop.length === 0 ? undefined : { stop: Object.freeze([...stop]) }
  return Object.freeze({ provider, model, ...Object.fromEntries(given), ...stopPart })
}

function sameStrings(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((text, index) => text === b[index])
}

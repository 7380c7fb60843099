import type { ToolChoice } from 'dsh-llm'
import type { CallIdRules } from 'dsh-llm-openai-compatible'
import { recordsOf } from '../payload.ts'
import type { Ask, JsonFormat } from '../protocol.ts'

/** OpenAI refuses ids beyond 40 characters on one wire and beyond 64 on the other. */
export const openaiCallIds: CallIdRules = Object.freeze({ minLength: 1, maxLength: 40, alphabet: 'word' })

/** The levels of pi-ai are its own words for all providers; `off` is what it sends without any. */
export function toReasoningEffort(effort: string | undefined): Readonly<Record<string, unknown>> {
  return effort === 'off' || effort === undefined ? {} : { reasoningEffort: effort }
}

/** A named tool in the shape of Chat Completions; the words are the same on all of OpenAI's wires. */
export function toFunctionChoice(choice: ToolChoice): unknown {
  return typeof choice === 'string' ? choice : { type: 'function', function: { name: choice.name } }
}

/** A schema has to have a name, though nobody reads it. */
export function toNamedSchema({
  schema,
  name = 'answer',
}: JsonFormat): Readonly<Record<string, unknown>> | undefined {
  return schema === undefined ? undefined : { name, schema }
}

/** These wires have no flag for a tool that failed. */
export const toolErrorMark = 'Error: '

/** Nor do they count tokens for thinking. */
export function findBudget({ own }: Ask): string | undefined {
  return own.thinkingBudgetTokens === undefined ? undefined : 'thinkingBudgetTokens is not taken by this API'
}

/** Puts the argument text of a call back, which pi-ai has parsed and written anew. */
export function restoreArguments(target: unknown, id: unknown, texts: ReadonlyMap<string, string>): void {
  const text = typeof id === 'string' ? texts.get(id) : undefined
  if (text === undefined) return
  for (const called of recordsOf([target])) called['arguments'] = text
}

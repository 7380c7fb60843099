import type { ToolChoice } from 'dsh-llm'
import type { CallIdRules } from 'dsh-llm-openai-compatible'
import { getField, isRecord, type Payload, recordsOf } from '../payload.ts'
import type { Ask, JsonFormat } from '../protocol.ts'
import { firstText, type WireFacts } from '../wire-facts.ts'

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
export function findBudgetConflict({ own }: Ask): string | undefined {
  return own.thinkingBudgetTokens === undefined ? undefined : 'thinkingBudgetTokens is not taken by this API'
}

/** Puts the argument texts of past calls back, which pi-ai has parsed and written anew. */
export function restoreArguments(
  payload: Payload,
  callsField: string,
  texts: ReadonlyMap<string, string>,
): void {
  for (const message of recordsOf(payload['messages']))
    for (const { id, function: called } of recordsOf(message[callsField])) {
      const text = typeof id === 'string' ? texts.get(id) : undefined
      if (text !== undefined && isRecord(called)) called['arguments'] = text
    }
}

/** pi-ai reads any choice, and only the first piece of a name. */
export function watchChoices(event: Payload, facts: WireFacts): void {
  const [choice] = recordsOf(getField(event, 'choices'))
  if (choice === undefined) return
  facts.finish = firstText(choice, ['finish_reason']) ?? facts.finish
  if (Number(choice['index'] ?? 0) > 0) facts.fault ??= 'it answers with several choices'
  for (const call of recordsOf(getField(choice, 'delta.tool_calls'))) watchName(call, facts)
}

function watchName(call: Payload, facts: WireFacts): void {
  const name = firstText(call, ['function.name'])
  if (name === undefined) return
  const key = `name ${String(call['index'])}`
  const known = facts.notes.get(key)
  if (known === undefined) facts.notes.set(key, name)
  // With an id of its own it is another call, and pi-ai's text of both will not be JSON.
  else if (known !== name && firstText(call, ['id']) === undefined)
    facts.fault ??= 'the name of a tool call comes in pieces'
}

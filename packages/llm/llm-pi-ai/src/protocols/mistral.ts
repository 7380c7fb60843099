import { effortWords, unknownEffort } from '../effort.ts'
import { type Payload, recordsOf } from '../payload.ts'
import type { Ask, Protocol } from '../protocol.ts'
import { findBudgetConflict, restoreArguments, toFunctionChoice, watchChoices } from './openai-shared.ts'

/** Mistral, by its own API. Call ids are nine letters and digits. */
export const mistral: Protocol = Object.freeze({
  fields: { topP: 'topP', seed: 'randomSeed', stop: 'stop' },
  callIds: Object.freeze({ minLength: 9, maxLength: 9, alphabet: 'alphanumeric' }),
  usage: {
    input: ['prompt_tokens'],
    output: ['completion_tokens'],
    cacheRead: ['prompt_tokens_details.cached_tokens', 'num_cached_tokens'],
    cacheWrite: [],
    reasoning: [],
    inputHasCache: true,
  },
  finishReasons: {},
  watch: watchChoices,
  toEffortOptions(effort: string | undefined, { model: { thinkingLevelMap } }: Ask) {
    if (effort === undefined) return {}
    const mapped: unknown = Reflect.get(thinkingLevelMap ?? {}, effort)
    if (effort === 'off') return typeof mapped === 'string' ? { reasoningEffort: mapped } : {}
    if (typeof mapped !== 'string' && !effortWords.includes(effort)) throw unknownEffort(effort)
    if (thinkingLevelMap === undefined) return { promptMode: 'reasoning' }
    return { reasoningEffort: typeof mapped === 'string' ? mapped : 'high' }
  },
  toToolChoice: toFunctionChoice,
  setFormat(payload: Payload, { schema, name = 'answer' }) {
    payload['responseFormat'] =
      schema === undefined
        ? { type: 'json_object' }
        : { type: 'json_schema', jsonSchema: { name, schemaDefinition: schema } }
  },
  editPayload(payload: Payload, { argumentTexts }: Ask) {
    for (const message of recordsOf(payload['messages']))
      for (const call of recordsOf(message['toolCalls']))
        restoreArguments(call['function'], call['id'], argumentTexts)
  },
  findConflict: findBudgetConflict,
  takesFetch: true,
} satisfies Protocol)

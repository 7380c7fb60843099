import { assertKnownEffort, mappedEffort } from '../effort.ts'
import type { Payload } from '../payload.ts'
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
  toEffortOptions(effort: string | undefined, { model }: Ask) {
    if (effort === undefined) return {}
    const mapped = mappedEffort(effort, model)
    if (effort === 'off') return mapped === undefined ? {} : { reasoningEffort: mapped }
    assertKnownEffort(effort, model)
    return model.thinkingLevelMap === undefined
      ? { promptMode: 'reasoning' }
      : { reasoningEffort: mapped ?? 'high' }
  },
  toToolChoice: toFunctionChoice,
  setFormat(payload: Payload, { schema, name = 'answer' }) {
    payload['responseFormat'] =
      schema === undefined
        ? { type: 'json_object' }
        : { type: 'json_schema', jsonSchema: { name, schemaDefinition: schema } }
  },
  editPayload(payload: Payload, { argumentTexts }: Ask) {
    restoreArguments(payload, 'toolCalls', argumentTexts)
  },
  findConflict: findBudgetConflict,
  takesFetch: true,
} satisfies Protocol)

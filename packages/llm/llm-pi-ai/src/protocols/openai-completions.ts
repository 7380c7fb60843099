import type { Payload } from '../payload.ts'
import type { Ask, Protocol } from '../protocol.ts'
import {
  findBudgetConflict,
  openaiCallIds,
  restoreArguments,
  toFunctionChoice,
  toNamedSchema,
  toolErrorMark,
  toReasoningEffort,
  watchChoices,
} from './openai-shared.ts'

/** Chat Completions, as pi-ai speaks it to some thirty providers. */
export const openaiCompletions: Protocol = Object.freeze({
  fields: { topP: 'top_p', seed: 'seed', stop: 'stop' },
  callIds: openaiCallIds,
  usage: {
    input: ['prompt_tokens'],
    output: ['completion_tokens'],
    cacheRead: ['prompt_tokens_details.cached_tokens', 'prompt_cache_hit_tokens', 'cached_tokens'],
    cacheWrite: ['prompt_tokens_details.cache_write_tokens'],
    reasoning: ['completion_tokens_details.reasoning_tokens'],
    inputHasCache: true,
  },
  finishReasons: {},
  watch: watchChoices,
  // The name of a field, by which reasoning is echoed, and not a list of details.
  isShared: (signature) => !signature.startsWith('['),
  toEffortOptions: toReasoningEffort,
  toToolChoice: toFunctionChoice,
  setFormat(payload: Payload, format) {
    const schema = toNamedSchema(format)
    payload['response_format'] =
      schema === undefined ? { type: 'json_object' } : { type: 'json_schema', json_schema: schema }
  },
  editPayload(payload: Payload, { request, argumentTexts }: Ask) {
    // Without an effort pi-ai turns reasoning off, in the words of whichever server it thinks this is.
    if (request.reasoningEffort === undefined) for (const field of effortFields) delete payload[field]
    else if (request.reasoningEffort === 'off' && !effortFields.some((field) => field in payload))
      payload['reasoning_effort'] = 'none'
    restoreArguments(payload, 'tool_calls', argumentTexts)
  },
  findConflict: findBudgetConflict,
  toolErrorMark,
  takesFetch: true,
} satisfies Protocol)

/** Where the servers of this API look for an effort. */
const effortFields = [
  'reasoning_effort',
  'reasoning',
  'thinking',
  'enable_thinking',
  'chat_template_args',
  'chat_template_kwargs',
]

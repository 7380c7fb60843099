import { type Payload, recordsOf, setField } from '../payload.ts'
import type { Ask, Protocol } from '../protocol.ts'
import { findBudget, openaiCallIds, toNamedSchema, toolErrorMark, toReasoningEffort } from './openai-shared.ts'

/** OpenAI Responses, also as Azure serves it. Reasoning items travel back encrypted; stop texts and seeds it has none. */
export const openaiResponses: Protocol = Object.freeze({
  fields: { topP: 'top_p' },
  callIds: openaiCallIds,
  maxToolNameLength: 64,
  usage: {
    inputTokens: ['input_tokens'],
    outputTokens: ['output_tokens'],
    cacheReadTokens: ['input_tokens_details.cached_tokens'],
    cacheWriteTokens: ['input_tokens_details.cache_write_tokens'],
    reasoningTokens: ['output_tokens_details.reasoning_tokens'],
  },
  finishReasons: {},
  toEffortOptions: toReasoningEffort,
  toToolChoice: (choice) => (typeof choice === 'string' ? choice : { type: 'function', name: choice.name }),
  setFormat(payload: Payload, format) {
    const schema = toNamedSchema(format)
    const wire = schema === undefined ? { type: 'json_object' } : { type: 'json_schema', ...schema }
    setField(payload, 'text.format', wire)
  },
  editPayload(payload: Payload, { request, model, argumentTexts }: Ask) {
    if (request.reasoningEffort === undefined) delete payload['reasoning']
    // pi-ai raises small limits.
    if (request.maxTokens !== undefined) payload['max_output_tokens'] = request.maxTokens
    // Without it a reasoning item could not travel back, since pi-ai lets the server store nothing.
    if (model.reasoning) payload['include'] = ['reasoning.encrypted_content']
    for (const item of recordsOf(payload['input'])) {
      const text = item['type'] === 'function_call' ? argumentTexts.get(String(item['call_id'])) : undefined
      if (text !== undefined) item['arguments'] = text
    }
  },
  findConflict: findBudget,
  toolErrorMark,
  splitsCallIds: true,
  // Nothing is stored, so an item by its id alone would be unknown to the server, and so would what belongs to it.
  isReplayable: (signature) => /"encrypted_content":\s*"[^"]/.test(signature),
  takesFetch: true,
} satisfies Protocol)

import { parseExactly } from 'dsh-llm'
import { getField, type Payload, recordsOf, setField } from '../payload.ts'
import type { PiModel } from '../pi-api.ts'
import type { Ask, Protocol, StatefulType } from '../protocol.ts'
import { firstText, type WireFacts } from '../wire-facts.ts'
import {
  findBudgetConflict,
  openaiCallIds,
  toNamedSchema,
  toolErrorMark,
  toReasoningEffort,
} from './openai-shared.ts'

/** OpenAI Responses. Reasoning items travel back encrypted; stop texts and seeds it has none. */
export const openaiResponses: Protocol = Object.freeze({
  fields: { topP: 'top_p' },
  callIds: openaiCallIds,
  usage: {
    input: ['input_tokens'],
    output: ['output_tokens'],
    cacheRead: ['input_tokens_details.cached_tokens'],
    cacheWrite: ['input_tokens_details.cache_write_tokens'],
    reasoning: ['output_tokens_details.reasoning_tokens'],
    inputHasCache: true,
  },
  finishReasons: { completed: 'stop', max_output_tokens: 'max-tokens' },
  watch,
  partsThinking: true,
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
  findConflict: findBudgetConflict,
  toolErrorMark,
  splitsCallIds: true,
  isReplayable,
  takesFetch: true,
} satisfies Protocol)

/** The same as Azure serves it. */
export const azureResponses: Protocol = Object.freeze({
  ...openaiResponses,
  toDefaults: ({ id, baseUrl }: PiModel) => ({ azureBaseUrl: baseUrl, azureDeploymentName: id }),
})

/** An item of a call has its whole text when it is done, and sometimes some of it when it begins. */
function watch(event: Payload, facts: WireFacts): void {
  const type = getField(event, 'type')
  if (type === 'response.failed') facts.error ??= { error: getField(event, 'response.error') }
  if (type !== 'response.output_item.added' && type !== 'response.output_item.done') return
  if (getField(event, 'item.type') !== 'function_call') return
  const place = `${type} ${String(getField(event, 'output_index'))}`
  if (facts.notes.has(place)) facts.fault ??= 'an item is told twice'
  facts.notes.set(place, 'seen')
  const id = String(getField(event, 'item.call_id'))
  const text = firstText(event, ['item.arguments'])
  if (text === undefined) return
  const known = facts.calls.get(id)
  facts.calls.set(
    id,
    type === 'response.output_item.added' ? { ...known, head: text } : { ...known, whole: text },
  )
}

/**
 * Nothing is stored by the server, so a reasoning item by its id alone would be unknown to it. pi-ai sends signatures on
 * as items, so only what is one may be.
 */
function isReplayable(signature: string, type: StatefulType): boolean {
  const item = parseExactly(signature)
  if (type === 'text') return typeof getField(item, 'id') === 'string'
  return getField(item, 'type') === 'reasoning' && firstText(item, ['encrypted_content']) !== undefined
}

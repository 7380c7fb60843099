import { finishOf, type NeutralAnswer, type NeutralError, type NeutralUsage } from './neutral-answer.ts'
import { type ResponsesDialect, responsesDialect } from './responses-dialect.ts'
import { type OutputItem, toOutputItems } from './responses-items.ts'
import { type NamedEvent, namedSseFrames } from './sse-frames.ts'
import { sumAll, sumKnown, unlessUnknown } from './token-sums.ts'

type Json = Readonly<Record<string, unknown>>

/**
 * Renders an answer as a stream of the OpenAI Responses wire, one SSE frame per element. Fields given in `dialect` replace
 * those of `responsesDialect`. `stop` and `tool-calls` complete the response; any other finish is the reason why it is
 * incomplete, and the last item is so too. `null` leaves the terminal event out; an error leaves the last item open.
 */
export function openaiResponses(answer: NeutralAnswer, dialect: Partial<ResponsesDialect> = {}): string[] {
  const wire = { ...responsesDialect, ...dialect }
  const reason = incompleteReason(finishOf(answer))
  const items = toOutputItems(answer, wire, reason === undefined ? 'completed' : 'incomplete')
  const events = [
    lifeCycle('created', wire),
    lifeCycle('in_progress', wire),
    ...itemEvents(items, answer),
    ...terminalEvents(answer, wire, items),
  ]
  const numbered = events.map((event, sequenceNumber) => toNumbered(event, sequenceNumber, wire))
  return namedSseFrames(numbered, wire)
}

function itemEvents(items: readonly OutputItem[], { error }: NeutralAnswer): NamedEvent[] {
  return items.flatMap(({ opening, closing }, at) => {
    const staysOpen = error !== undefined && at === items.length - 1
    return staysOpen ? opening : [...opening, ...closing]
  })
}

function terminalEvents(
  answer: NeutralAnswer,
  wire: ResponsesDialect,
  items: readonly OutputItem[],
): NamedEvent[] {
  if (answer.error !== undefined) return failureEvents(answer.error, wire)
  const finish = finishOf(answer)
  if (finish === null) return []
  const reason = incompleteReason(finish)
  const output = wire.output === 'items' ? items.map(({ item }) => item) : []
  const facts = { output, usage: answer.usage === undefined ? null : toWireUsage(answer.usage) }
  if (reason === undefined) return [lifeCycle('completed', wire, { status: 'completed', ...facts })]
  return [lifeCycle('incomplete', wire, { status: 'incomplete', incomplete_details: { reason }, ...facts })]
}

function incompleteReason(finish: string | null): string | undefined {
  if (finish === null || finish === 'stop' || finish === 'tool-calls') return undefined
  return finish === 'max-tokens' ? 'max_output_tokens' : finish
}

function failureEvents(error: NeutralError, wire: ResponsesDialect): NamedEvent[] {
  const { message, type = 'server_error', code = type } = error
  const facts = { code, message, param: null }
  const told = wire.errorShape === 'flat' ? facts : { error: { type, ...facts } }
  const events = {
    error: { type: 'error', ...told },
    failed: lifeCycle('failed', wire, { status: 'failed', error: { code, message } }),
  }
  return wire.failure === 'both' ? [events.error, events.failed] : [events[wire.failure]]
}

function lifeCycle(step: string, { id, created, model }: ResponsesDialect, facts: Json = {}): NamedEvent {
  const begun = { id, object: 'response', created_at: created, status: 'in_progress', model }
  return { type: `response.${step}`, response: { ...begun, output: [], usage: null, ...facts } }
}

function toNumbered({ type, ...rest }: NamedEvent, number: number, { itemIds }: ResponsesDialect): NamedEvent {
  const event = { type, sequence_number: number, ...rest }
  return itemIds === 'stable' ? event : withOwnIds(event, number)
}

function withOwnIds(event: NamedEvent, number: number): NamedEvent {
  const { item_id: id, item } = event
  if (typeof id === 'string') return { ...event, item_id: `${id}_${number}` }
  if (typeof item !== 'object' || item === null || !('id' in item)) return event
  return { ...event, item: { ...item, id: `${item.id}_${number}` } }
}

/** Input includes what was read from and written to the cache, and output the reasoning. */
function toWireUsage(usage: NeutralUsage): Json {
  const { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens, reasoningTokens } = usage
  const input = sumKnown([inputTokens, cacheReadTokens, cacheWriteTokens])
  return {
    input_tokens: input,
    input_tokens_details: unlessUnknown({
      cached_tokens: cacheReadTokens,
      cache_write_tokens: cacheWriteTokens,
    }),
    output_tokens: outputTokens,
    output_tokens_details: unlessUnknown({ reasoning_tokens: reasoningTokens }),
    total_tokens: sumAll([input, outputTokens]),
  }
}

import { type ChatDialect, openaiDialect } from './chat-dialect.ts'
import { toWireUsage } from './chat-usage.ts'
import { callIdOf } from './mint-id.ts'
import { finishOf, type NeutralAnswer, toFramePieces, toPieces } from './neutral-answer.ts'
import { sseFrames } from './sse-frames.ts'

type Json = Record<string, unknown>

const finishReasons: Readonly<Record<string, string>> = {
  'tool-calls': 'tool_calls',
  'max-tokens': 'length',
}

/**
 * Renders an answer as a Chat Completions stream, one SSE frame per element. Fields given in `dialect` replace those of
 * `openaiDialect`; spread `deepseekDialect` to begin there instead. Nothing follows an `error`, not even `[DONE]`.
 */
export function chatCompletions(answer: NeutralAnswer, dialect: Partial<ChatDialect> = {}): string[] {
  const wire = { ...openaiDialect, ...dialect }
  const deltas = [firstDelta(answer, wire), ...contentDeltas(answer, wire), ...callDeltas(answer, wire)]
  const events = deltas.map((delta) => envelope(wire, { choices: [choice(delta, wire, null)] }))
  if (answer.error !== undefined) {
    return sseFrames([...events, { error: { type: null, param: null, code: null, ...answer.error } }], {
      ...wire,
      done: false,
    })
  }
  return sseFrames([...events, ...lastEvents(answer, wire)], wire)
}

function firstDelta({ reasoning }: NeutralAnswer, wire: ChatDialect): Json {
  if (!wire.explicitNulls || reasoning === undefined) return { role: 'assistant', content: '' }
  return { role: 'assistant', content: null, [wire.reasoningField]: '' }
}

function contentDeltas({ reasoning, text }: NeutralAnswer, wire: ChatDialect): Json[] {
  const field = wire.reasoningField
  const silentContent = wire.explicitNulls ? { content: null } : {}
  const silentReasoning = wire.explicitNulls && reasoning !== undefined ? { [field]: null } : {}
  return [
    ...toFramePieces(reasoning).map((piece) => ({ ...silentContent, [field]: toReasoning(piece, wire) })),
    ...toFramePieces(text).map((piece) => ({ content: piece, ...silentReasoning })),
  ]
}

function toReasoning(piece: string, { reasoningField }: ChatDialect): unknown {
  if (reasoningField !== 'content') return piece
  return [{ type: 'thinking', thinking: [{ type: 'text', text: piece }] }]
}

function callDeltas({ calls = [] }: NeutralAnswer, wire: ChatDialect): Json[] {
  return calls.flatMap((call, position) => {
    const parts = toPieces(call.arguments)
    const head = wire.calls === 'whole' ? parts.join('') : ''
    const rest = wire.calls === 'whole' ? [] : toFramePieces(call.arguments)
    const id = callIdOf(call, position, wire.callIdPrefix(position))
    const index = indexOf(position, wire)
    return [
      { tool_calls: [{ ...index, id, type: 'function', function: { name: call.name, arguments: head } }] },
      ...rest.map((piece) => ({ tool_calls: [{ ...index, function: { arguments: piece } }] })),
    ]
  })
}

function indexOf(position: number, { callIndex }: ChatDialect): { readonly index?: number } {
  return callIndex === 'none' ? {} : { index: callIndex === 'zero' ? 0 : position }
}

function lastEvents(answer: NeutralAnswer, wire: ChatDialect): Json[] {
  const finish = finishOf(answer)
  const usage = usageOf(answer, wire)
  const usageEvents = usage === undefined ? [] : [envelope(wire, { choices: [], usage })]
  if (finish === null) return usageEvents
  const choices = [choice(lastDelta(answer, wire), wire, finishReasons[finish] ?? finish)]
  if (wire.usage === 'separate') return [envelope(wire, { choices }), ...usageEvents]
  return [envelope(wire, usage === undefined ? { choices } : { choices, usage })]
}

function usageOf({ usage }: NeutralAnswer, wire: ChatDialect): Json | undefined {
  return usage === undefined || wire.usage === 'never' ? undefined : toWireUsage(usage, wire)
}

function lastDelta({ reasoning }: NeutralAnswer, wire: ChatDialect): Json {
  if (!wire.explicitNulls) return {}
  return reasoning === undefined ? { content: '' } : { content: '', [wire.reasoningField]: null }
}

function choice(delta: Json, wire: ChatDialect, finishReason: string | null): Json {
  const logprobs = wire.explicitNulls ? { logprobs: null } : {}
  return { index: 0, delta, ...logprobs, finish_reason: finishReason }
}

function envelope({ id, created, model, usage }: ChatDialect, rest: Json): Json {
  const noUsageYet = usage === 'never' ? {} : { usage: null }
  return {
    id,
    object: 'chat.completion.chunk',
    created,
    model,
    system_fingerprint: 'fp_testkit',
    ...noUsageYet,
    ...rest,
  }
}

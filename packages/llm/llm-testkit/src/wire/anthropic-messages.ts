import { type AnthropicDialect, anthropicDialect } from './anthropic-dialect.ts'
import { callIdOf } from './mint-id.ts'
import { finishOf, type NeutralAnswer, type NeutralUsage, toFramePieces } from './neutral-answer.ts'
import { type NamedEvent, namedSseFrames } from './sse-frames.ts'
import { unlessUnknown } from './token-sums.ts'

type Json = Readonly<Record<string, unknown>>

interface Block {
  readonly start: Json
  readonly deltas: readonly Json[]
}

const stopReasons: Readonly<Record<string, string>> = {
  stop: 'end_turn',
  'tool-calls': 'tool_use',
  'max-tokens': 'max_tokens',
}

/**
 * Renders an answer as a stream of Anthropic's Messages wire, one SSE frame per element. Fields given in `dialect` replace
 * those of `anthropicDialect`. A finish of `null` leaves out `message_delta`, with its usage, and `message_stop`; an error
 * leaves the last block open and has no `code`.
 */
export function anthropicMessages(answer: NeutralAnswer, dialect: Partial<AnthropicDialect> = {}): string[] {
  const wire = { ...anthropicDialect, ...dialect }
  const [firstStart, ...content] = contentEvents(toBlocks(answer, wire), answer.error !== undefined)
  // A ping was recorded between the start of the first block and its first delta.
  const opening = [
    messageStart(answer, wire),
    ...(firstStart === undefined ? [] : [firstStart]),
    { type: 'ping' },
  ]
  return namedSseFrames([...opening, ...content, ...lastEvents(answer, wire)], wire)
}

function messageStart({ usage = {} }: NeutralAnswer, wire: AnthropicDialect): NamedEvent {
  const { outputTokens } = usage
  const input = wire.inputUsage === 'delta' ? {} : inputCounts(usage)
  const soFar = outputTokens === undefined ? undefined : Math.min(outputTokens, 1)
  const message = {
    id: wire.id,
    type: 'message',
    role: 'assistant',
    model: wire.model,
    content: [],
    stop_reason: null,
    stop_sequence: null,
    stop_details: null,
    usage: { ...input, output_tokens: soFar },
  }
  return { type: 'message_start', message }
}

function toBlocks({ reasoning, text, calls = [] }: NeutralAnswer, wire: AnthropicDialect): readonly Block[] {
  const pieces = toFramePieces(text)
  const redacted = { type: 'redacted_thinking', data: wire.redacted }
  return [
    ...(reasoning === undefined ? [] : [thinkingBlock(toFramePieces(reasoning), wire)]),
    ...(wire.redacted === undefined ? [] : [{ start: redacted, deltas: [] }]),
    ...(pieces.length === 0 ? [] : [textBlock(pieces)]),
    ...calls.map((call, position) => ({
      start: {
        type: 'tool_use',
        id: callIdOf(call, position, wire.callIdPrefix),
        name: call.name,
        input: {},
        caller: { type: 'direct' },
      },
      // The first piece is always empty; a call without arguments has no other.
      deltas: ['', ...toFramePieces(call.arguments)].map((partial_json) => ({
        type: 'input_json_delta',
        partial_json,
      })),
    })),
  ]
}

function thinkingBlock(pieces: readonly string[], { signature, signatureOnStart }: AnthropicDialect): Block {
  const signatureDeltas = signature === undefined ? [] : [{ type: 'signature_delta', signature }]
  return {
    start: { type: 'thinking', thinking: '', signature: signatureOnStart ? (signature ?? '') : '' },
    deltas: [...pieces.map((thinking) => ({ type: 'thinking_delta', thinking })), ...signatureDeltas],
  }
}

function textBlock(pieces: readonly string[]): Block {
  return { start: { type: 'text', text: '' }, deltas: pieces.map((text) => ({ type: 'text_delta', text })) }
}

function contentEvents(blocks: readonly Block[], staysOpen: boolean): NamedEvent[] {
  return blocks.flatMap(({ start, deltas }, index) => {
    const isLast = index === blocks.length - 1
    return [
      { type: 'content_block_start', index, content_block: start },
      ...deltas.map((delta) => ({ type: 'content_block_delta', index, delta })),
      ...(staysOpen && isLast ? [] : [{ type: 'content_block_stop', index }]),
    ]
  })
}

function lastEvents(answer: NeutralAnswer, wire: AnthropicDialect): NamedEvent[] {
  const { error, usage = {} } = answer
  if (error !== undefined) {
    const { type = 'api_error', message } = error
    return [{ type: 'error', error: { type, message }, request_id: wire.requestId }]
  }
  const finish = finishOf(answer)
  if (finish === null) return []
  const stopReason = stopReasons[finish] ?? finish
  const input = wire.inputUsage === 'start' ? {} : inputCounts(usage)
  return [
    {
      type: 'message_delta',
      delta: { stop_reason: stopReason, stop_sequence: null, stop_details: wire.stopDetails },
      usage: { ...input, ...outputCounts(usage) },
    },
    { type: 'message_stop' },
  ]
}

/** The three counters are disjoint, as the neutral ones are. */
function inputCounts({ inputTokens, cacheReadTokens, cacheWriteTokens }: NeutralUsage): Json {
  return {
    input_tokens: inputTokens,
    cache_creation_input_tokens: cacheWriteTokens,
    cache_read_input_tokens: cacheReadTokens,
  }
}

function outputCounts({ outputTokens, reasoningTokens }: NeutralUsage): Json {
  return {
    output_tokens: outputTokens,
    output_tokens_details: unlessUnknown({ thinking_tokens: reasoningTokens }),
  }
}

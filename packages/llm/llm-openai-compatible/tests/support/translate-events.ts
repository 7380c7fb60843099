import type { StreamChunk } from 'dsh-llm'
import type { ServerEvent } from 'dsh-llm-http'
import { createResponseRules, type ResponseRules } from '../../src/response-rules.ts'
import { Translator, type TranslatorOptions } from '../../src/translate.ts'

/** One choice as the data of an event. */
export function choice(delta: unknown, finishReason: string | null = null, more: object = {}): string {
  return JSON.stringify({
    id: 'c1',
    model: 'served',
    choices: [{ index: 0, delta, finish_reason: finishReason }],
    ...more,
  })
}

/** One `tool_calls` entry in a delta of its own. */
export function callDelta(...entries: readonly object[]): string {
  return choice({ tool_calls: entries })
}

export const done = '[DONE]'

export interface Reading extends Partial<Omit<TranslatorOptions, 'rules'>> {
  readonly rules?: Partial<ResponseRules>
  /** Given to `end` where the events end without a marker. */
  readonly failure?: { readonly code: string; readonly message: string }
  /** An answer that comes whole, in place of events. */
  readonly body?: unknown
}

/** All chunks of an answer whose events have this data. */
export function translate(data: readonly (string | ServerEvent)[], options: Reading = {}): StreamChunk[] {
  const { rules, failure, body, ...rest } = options
  const translator = new Translator({ provider: 'p', model: 'm', ...rest, rules: createResponseRules(rules) })
  const out: StreamChunk[] = []
  if (body !== undefined) translator.translateWhole(body, out)
  for (const event of data) translator.translate([typeof event === 'string' ? { data: event } : event], out)
  translator.end(out, failure)
  return out
}

/** What an answer came to, short enough for a table: whole blocks, open blocks, and how it ended. */
export function summary(chunks: readonly StreamChunk[]): readonly string[] {
  const lines: string[] = []
  const open = new Map<number, string>()
  for (const chunk of chunks) {
    if (chunk.type === 'block-start') open.set(chunk.index, `open ${chunk.blockType}`)
    if (chunk.type === 'block-end') {
      open.delete(chunk.index)
      lines[chunk.index] = describeBlock(chunk.block)
    }
    if (chunk.type === 'finish') lines.push(...open.values(), describeFinish(chunk.reason))
  }
  return lines.filter((line) => line !== undefined)
}

function describeBlock(block: { readonly type: string }): string {
  if ('text' in block) return `${block.type} ${String(block.text)}`
  if ('arguments' in block && 'name' in block && 'id' in block) {
    return `call ${String(block.id)} ${String(block.name)} ${String(block.arguments)}`
  }
  return block.type
}

function describeFinish(reason: { readonly kind: string }): string {
  return 'failure' in reason
    ? `${reason.kind} ${(reason.failure as { readonly code: string }).code}`
    : reason.kind
}

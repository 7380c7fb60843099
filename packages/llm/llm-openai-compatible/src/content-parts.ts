import type { ProseSink } from './inline-reasoning.ts'
import { isObject, textOf } from './wire.ts'

/** A part as any server writes one; it has one or two of these. */
interface ContentPart {
  readonly type?: unknown
  readonly text?: unknown
  readonly refusal?: unknown
  readonly thinking?: unknown
  readonly reasoning?: unknown
  readonly summary?: unknown
  readonly content?: unknown
}

/** Part types that hold reasoning; parts of any other type may hold text. */
const reasoningTypes = new Set<unknown>(['thinking', 'reasoning', 'reasoning_text', 'summary_text'])

/** Reads content that came as typed parts instead of a string; parts that hold no text are passed over. */
export function writeParts(content: unknown, sink: ProseSink): void {
  if (Array.isArray(content)) {
    for (const part of content) writePart(part, sink)
  } else writePart(content, sink)
}

function writePart(value: unknown, sink: ProseSink): void {
  if (typeof value === 'string') return sink.text(value)
  if (!isObject(value)) return
  const part: ContentPart = value
  if (reasoningTypes.has(part.type)) sink.reasoning(plainText(part))
  else sink.text(textOf(part.text) ?? textOf(part.refusal) ?? '')
}

/** The text of a part of any depth: servers nest it under different names. */
function plainText(value: unknown): string {
  if (typeof value === 'string') return value
  if (Array.isArray(value)) return value.map(plainText).join('')
  if (!isObject(value)) return ''
  const part: ContentPart = value
  return plainText(part.text ?? part.thinking ?? part.reasoning ?? part.summary ?? part.content)
}

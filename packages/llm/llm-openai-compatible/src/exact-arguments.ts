import { isRawNumber, parseExactly } from 'dsh-llm'
import { isObject, type WireChoice, type WireChunk, type WireDelta, type WireToolCall } from './wire.ts'

/**
 * A parsed chunk in which each argument object (agreed answer 4) has become its JSON text, with every digit that `data`,
 * the text of the chunk, has: numbers beyond 2^53 do not survive parsing. Chunks without one come back as they are.
 */
export function withExactArguments(chunk: unknown, data: string): unknown {
  const found = findArguments(chunk)
  if (found.length === 0) return chunk
  // Reading so takes stack for each level, so a text can be too deep for it.
  const exact = findArguments(parseExactly(data))
  found.forEach(({ body, field, value }, at) => {
    body[field] = JSON.stringify(exact[at]?.value ?? value)
  })
  return chunk
}

/** An object that stands where the text of the arguments should. */
interface ArgumentObject {
  readonly body: Record<string, unknown>
  readonly field: 'arguments' | 'input'
  readonly value: unknown
}

/** All of them, in the order of the chunk, so those of two readings of one text stand at the same places. */
function findArguments(chunk: unknown): readonly ArgumentObject[] {
  const found: ArgumentObject[] = []
  const { choices }: WireChunk = isObject(chunk) ? chunk : {}
  for (const choice of listOf(choices)) {
    const { delta, message }: WireChoice = isObject(choice) ? choice : {}
    if (isObject(delta)) addFromPart(delta as WireDelta, found)
    if (isObject(message)) addFromPart(message as WireDelta, found)
  }
  return found
}

function addFromPart({ tool_calls: calls, function_call: call }: WireDelta, found: ArgumentObject[]): void {
  for (const entry of listOf(calls)) {
    const { function: called, custom }: WireToolCall = isObject(entry) ? entry : {}
    addFromBody(called ?? custom, found)
  }
  addFromBody(call, found)
}

function addFromBody(body: unknown, found: ArgumentObject[]): void {
  if (!isObject(body)) return
  const fields = body as ArgumentObject['body']
  if (isNested(fields['arguments']))
    found.push({ body: fields, field: 'arguments', value: fields['arguments'] })
  if (isNested(fields['input'])) found.push({ body: fields, field: 'input', value: fields['input'] })
}

/** A number read exactly is an object too, but none of the wire's. */
function isNested(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !isRawNumber(value)
}

const none: readonly unknown[] = Object.freeze([])

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : none
}

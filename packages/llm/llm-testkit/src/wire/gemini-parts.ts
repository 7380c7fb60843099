import { parseExactly } from 'dsh-llm'
import type { GeminiDialect } from './gemini-dialect.ts'
import { callIdOf } from './mint-id.ts'
import { type NeutralAnswer, type NeutralCall, toFramePieces, toPieces } from './neutral-answer.ts'

type Json = Readonly<Record<string, unknown>>

/** The parts of one chunk. `isThought` tells which counter its tokens are in. */
export interface PartGroup {
  readonly isThought: boolean
  readonly parts: readonly Json[]
}

/** Everything an answer says, chunk by chunk. Calls that are not whole are left out: see `gemini`. */
export function toPartGroups(answer: NeutralAnswer, wire: GeminiDialect): readonly PartGroup[] {
  const { trailing } = wire.thoughtSignatures
  return [
    ...toFramePieces(answer.reasoning).map((text) => ({ isThought: true, parts: [{ text, thought: true }] })),
    ...textParts(answer, wire).map(spoken),
    ...callGroups(answer, wire),
    ...(trailing === undefined ? [] : [spoken({ text: '', thoughtSignature: trailing })]),
  ]
}

function spoken(part: Json): PartGroup {
  return { isThought: false, parts: [part] }
}

function textParts({ text }: NeutralAnswer, { thoughtSignatures }: GeminiDialect): readonly Json[] {
  return toFramePieces(text).map((piece, at, all) => ({
    text: piece,
    thoughtSignature: at === all.length - 1 ? thoughtSignatures.text : undefined,
  }))
}

function callGroups({ calls = [] }: NeutralAnswer, wire: GeminiDialect): readonly PartGroup[] {
  const functionCalls = calls.flatMap((call, position) => toFunctionCall(call, position, wire))
  const parts = functionCalls.map((functionCall, at) => ({
    functionCall,
    thoughtSignature: at === 0 ? wire.thoughtSignatures.call : undefined,
  }))
  if (parts.length === 0) return []
  return wire.calls === 'together' ? [{ isThought: false, parts }] : parts.map(spoken)
}

function toFunctionCall(call: NeutralCall, position: number, { callIds }: GeminiDialect): readonly Json[] {
  const id = callIds ? callIdOf(call, position, '') : undefined
  const text = toPieces(call.arguments).join('')
  if (text.trim() === '') return [{ id, name: call.name }]
  const args = parseObject(text)
  return args === undefined ? [] : [{ id, name: call.name, args }]
}

/** A provider writes the numbers that its model wrote, whatever fits into memory here. */
function parseObject(text: string): object | undefined {
  const value: unknown = parseExactly(text)
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined
}

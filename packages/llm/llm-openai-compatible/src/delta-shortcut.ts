import type { AnswerWriter } from './answer-writer.ts'
import { failureIn } from './chunk-reader.ts'
import { endOfString } from './end-of-string.ts'
import type { ResponseRules } from './response-rules.ts'
import {
  isObject,
  parseJson,
  textOf,
  type WireChoice,
  type WireChunk,
  type WireDelta,
  type WireFunction,
  type WireToolCall,
} from './wire.ts'

/** A chunk that does nothing but add one piece of text, and where that piece stands. */
interface Addition {
  readonly kind: 'text' | 'reasoning' | 'arguments'
  /** The wire index of the call, for arguments. */
  readonly index: number
  /** The field that holds the piece. */
  readonly field: string
  readonly piece: string
}

/** The exact text around the piece in a chunk that was read in full. */
interface Template {
  readonly kind: Addition['kind']
  readonly index: number
  /** Up to and including the opening quote. */
  readonly head: string
  /** From the closing quote on. */
  readonly tail: string
}

const MAX_TEMPLATES = 16
/** So many chunks read in full without a later match, and the stream is one whose chunks all differ. */
const MAX_FRUITLESS = 24
const PROBE = 'probe'

/**
 * Saves parsing the same envelope again for every token. A chunk whose text equals a known one but for one string
 * literal means the same but for that string, by the grammar of JSON, so only the literal is parsed. Any other chunk
 * is left to the full parse.
 */
export class DeltaShortcut {
  readonly #rules: ResponseRules
  readonly #templates: Template[] = []
  #current = 0
  #oldest = 0
  #fruitless = 0

  constructor(rules: ResponseRules) {
    this.#rules = rules
  }

  /** Writes the piece of a chunk that a template fits; `false` asks for the full parse and means nothing was written. */
  write(data: string, answer: AnswerWriter): boolean {
    const templates = this.#templates
    const count = templates.length
    for (let step = 0; step < count; step += 1) {
      const at = (this.#current + step) % count
      const template = templates[at]
      if (template !== undefined && fits(template, data)) {
        this.#current = at
        return this.#writePiece(template, data, answer)
      }
    }
    return false
  }

  /** Learns from a chunk that was read in full; most kinds of chunk teach nothing. */
  learn(data: string, chunk: WireChunk): void {
    if (this.#fruitless >= MAX_FRUITLESS) return
    const addition = this.#additionOf(chunk)
    if (addition === undefined) return
    this.#fruitless += 1
    const template = this.#locate(data, addition)
    if (template !== undefined) this.#keep(template)
  }

  #writePiece(template: Template, data: string, answer: AnswerWriter): boolean {
    const piece = readPiece(data, template.head.length, data.length - template.tail.length)
    if (piece === undefined) return false
    this.#fruitless = 0
    if (template.kind === 'text') answer.text(piece)
    else if (template.kind === 'reasoning') answer.reasoning(piece)
    else answer.toolArguments(template.index, piece)
    return true
  }

  /** The oldest template gives way; a stream seldom needs more than one per open call. */
  #keep(template: Template): void {
    if (this.#templates.length < MAX_TEMPLATES) this.#oldest = this.#templates.push(template) % MAX_TEMPLATES
    else {
      this.#templates[this.#oldest] = template
      this.#oldest = (this.#oldest + 1) % MAX_TEMPLATES
    }
  }

  /** Finds the literal by trying each field of that name: the right one is where a probe turns up when read back. */
  #locate(data: string, addition: Addition): Template | undefined {
    const { kind, index, field } = addition
    for (const start of literalStarts(data, field)) {
      const head = data.slice(0, start)
      const tail = data.slice(endOfString(data, start))
      const probed = this.#additionOf(parseJson(head + PROBE + tail))
      if (probed?.piece === PROBE && probed.kind === kind && probed.index === index)
        return { kind, index, head, tail }
    }
    return undefined
  }

  /** What a chunk adds, if that is one piece and there is nothing else in it that the reader would look at. */
  #additionOf(chunk: unknown): Addition | undefined {
    const delta = isObject(chunk) ? onlyDelta(chunk) : undefined
    if (delta === undefined) return undefined
    const told = Object.keys(delta).filter((field) => field !== 'role' && !isBlank(delta[field]))
    const [field] = told
    if (field === undefined || told.length > 1) return undefined
    if (field === 'tool_calls') return argumentsOf(delta.tool_calls)
    const piece = textOf(delta[field])
    if (piece === undefined) return undefined
    if (field === 'content') return { kind: 'text', index: -1, field, piece }
    return this.#rules.reasoningFields.includes(field)
      ? { kind: 'reasoning', index: -1, field, piece }
      : undefined
  }
}

/** Slices are compared word by word; `startsWith` goes unit by unit and took twelve times as long. */
function fits({ head, tail }: Template, data: string): boolean {
  const room = data.length - tail.length
  return room >= head.length && data.slice(room) === tail && data.slice(0, head.length) === head
}

/** The engine copies slices this short; longer ones would keep the whole network read alive, parsed strings do not. */
const MAX_COPIED = 12

function readPiece(data: string, start: number, end: number): string | undefined {
  const isCopied = end - start <= MAX_COPIED && isPlain(data, start, end)
  if (isCopied) return data.slice(start, end)
  // What stands between quotes is a string, or no JSON if a quote of its own shows that it is no one literal.
  return parseJson(data.slice(start - 1, end + 1)) as string | undefined
}

/** Whether a part of a text means itself within a JSON string. */
function isPlain(data: string, start: number, end: number): boolean {
  for (let at = start; at < end; at += 1) {
    const code = data.charCodeAt(at)
    if (code < SPACE || code === QUOTE || code === BACKSLASH) return false
  }
  return true
}

const SPACE = 0x20
const QUOTE = 0x22
const BACKSLASH = 0x5c

/** Where the text of each string begins that may belong to a field of that name. */
function* literalStarts(data: string, field: string): Generator<number> {
  const name = JSON.stringify(field)
  const opening = /\s*:\s*"/y
  for (let at = data.indexOf(name); at >= 0; at = data.indexOf(name, at + 1)) {
    opening.lastIndex = at + name.length
    if (opening.test(data)) yield opening.lastIndex
  }
}

/** The delta of a chunk that says nothing beside it. */
function onlyDelta(chunk: WireChunk): WireDelta | undefined {
  if (failureIn(chunk) !== undefined || !Array.isArray(chunk.choices) || chunk.choices.length !== 1)
    return undefined
  const only: unknown = chunk.choices[0]
  if (!isObject(only) || !isBlank(chunk.usage) || !isBlank(chunk.x_groq)) return undefined
  const choice: WireChoice = only
  const isPlain = (choice.index ?? 0) === 0 && isBlank(choice.usage) && isBlank(choice.finish_reason)
  return isPlain && isObject(choice.delta) ? (choice.delta as WireDelta) : undefined
}

/** The piece of a chunk that continues one call and tells nothing else of it. */
function argumentsOf(entries: unknown): Addition | undefined {
  if (!Array.isArray(entries) || entries.length !== 1 || !isObject(entries[0])) return undefined
  const call: WireToolCall = entries[0]
  if (typeof call.index !== 'number' || !isBlank(call.id) || !isBlank(call.extra_content)) return undefined
  if (!isObject(call.function)) return undefined
  const body: WireFunction = call.function
  const piece = textOf(body.arguments)
  if (piece === undefined || !isBlank(body.name)) return undefined
  return { kind: 'arguments', index: call.index, field: 'arguments', piece }
}

function isBlank(value: unknown): boolean {
  return value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0)
}

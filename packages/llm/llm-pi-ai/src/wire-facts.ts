import { parseExactly } from './exact-json.ts'
import { getField, isRecord, type Payload, recordsOf } from './payload.ts'

/**
 * What the events of the wire say that pi-ai does not pass on. Filled while they pass by, before pi-ai sees them; an
 * event that fails to parse says nothing.
 */
export class WireFacts {
  /** The last usage in the API's own words, pieces put together. */
  usage: Payload | undefined
  /** The model that answered, as the provider names it. */
  servedModel: string | undefined
  /** The last error in the stream, whole. */
  error: unknown
  /** Why the prompt itself was refused. */
  blockReason: string | undefined
  /** `data: [DONE]` came. */
  isDone = false
  readonly #keepsCallTexts: boolean
  /** Argument texts of calls that came as objects, in order. */
  readonly #callTexts: string[] = []
  /** Texts with which blocks began, in order. */
  readonly #heads: string[] = []

  /** `keepsCallTexts` for an API whose calls carry objects, of whose numbers a parser may lose digits. */
  constructor(keepsCallTexts = false) {
    this.#keepsCallTexts = keepsCallTexts
  }

  /** Looks at one parsed event. */
  seeEvent(event: unknown): void {
    const usage = firstRecord(event, ['usage', 'response.usage', 'message.usage', 'usageMetadata'])
    if (usage !== undefined) this.usage = { ...this.usage, ...withoutNulls(usage) }
    const model = firstText(event, ['model', 'response.model', 'message.model', 'modelVersion'])
    if (model !== undefined) this.servedModel = model
    this.#seeHead(event)
    this.blockReason ??= firstText(event, ['promptFeedback.blockReason'])
    if (getField(event, 'type') === 'response.failed')
      this.error ??= { error: getField(event, 'response.error') }
  }

  /**
   * The text with which the next block of text or thinking began. Anthropic's wire may put it there, and pi-ai tells of
   * it only in a message that has grown meanwhile.
   */
  takeHead(): string {
    return this.#heads.shift() ?? ''
  }

  #seeHead(event: unknown): void {
    if (getField(event, 'type') !== 'content_block_start') return
    const kind = getField(event, 'content_block.type')
    if (kind === 'text' || kind === 'thinking' || kind === 'redacted_thinking')
      this.#heads.push(firstText(event, ['content_block.text', 'content_block.thinking']) ?? '')
  }

  /** Looks at the text of one event; only what may be an error is parsed, since pi-ai parses all of them. */
  seeText(data: string): void {
    if (data.trim() === '[DONE]') this.isDone = true
    else if (data.includes('"error"')) this.#seeError(parse(data))
    if (this.#keepsCallTexts && data.includes('"functionCall"')) this.#seeCalls(parseExactly(data))
  }

  /** The exact text of the next call's arguments; nothing where it was not kept. */
  takeCallText(): string | undefined {
    return this.#callTexts.shift()
  }

  #seeCalls(event: unknown): void {
    const [candidate] = recordsOf(getField(event, 'candidates'))
    for (const part of recordsOf(getField(candidate, 'content.parts'))) {
      const call = part['functionCall']
      if (isRecord(call)) this.#callTexts.push(JSON.stringify(call['args'] ?? {}))
    }
  }

  #seeError(event: unknown): void {
    const first: unknown = Array.isArray(event) ? event[0] : event
    const error = getField(first, 'error')
    if (error !== undefined && error !== null && error !== '') this.error = first
  }
}

function parse(data: string): unknown {
  try {
    return JSON.parse(data)
  } catch {
    return undefined
  }
}

function firstRecord(event: unknown, paths: readonly string[]): Payload | undefined {
  return paths.map((path) => getField(event, path)).find(isRecord)
}

function firstText(event: unknown, paths: readonly string[]): string | undefined {
  return paths
    .map((path) => getField(event, path))
    .find((value): value is string => typeof value === 'string' && value !== '')
}

/** A count that a later event leaves open keeps the value it had. */
function withoutNulls(usage: Payload): Payload {
  return Object.fromEntries(Object.entries(usage).filter(([, count]) => count !== null))
}

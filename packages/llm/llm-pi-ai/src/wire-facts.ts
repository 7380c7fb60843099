import { isJsonText, parseExactly } from 'dsh-llm'
import { getField, isRecord, type Payload, recordsOf } from './payload.ts'

/** What the wire says of a call beside the pieces of its arguments. */
export interface CallFacts {
  /** Text that came with the beginning. */
  readonly head?: string | undefined
  /** The whole text, where the wire states it; what came in pieces must be its beginning. */
  readonly whole?: string | undefined
}

/** Looks at one parsed event of an API and notes what pi-ai does not pass on. */
export type WireWatch = (event: Payload, facts: WireFacts) => void

/** What a text has to have in it to be looked at. */
const telling = /"error"|"functionCall"|"tool_use"|\[DONE\]/

/** How many events pi-ai may be behind the wire at most: those of one network read, as a rule. */
const maxRecent = 64

/**
 * What the events of the wire say that pi-ai does not pass on. Filled while they pass by, before pi-ai sees them, so it
 * may be ahead of pi-ai by one network read.
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
  /** The finish reason, in the API's own word. */
  finish: string | undefined
  /** What the wire did that pi-ai would make a wrong answer of, without a word. */
  fault: string | undefined
  /** `data: [DONE]` came. */
  isDone = false
  /** By the id of the call. */
  readonly calls: Map<string, CallFacts> = new Map()
  /** Whatever a watch has to remember between events. */
  readonly notes: Map<string, string> = new Map()
  readonly #watch: WireWatch | undefined
  readonly #heads: string[] = []
  readonly #callTexts: string[] = []
  readonly #inputs: string[] = []
  readonly #recent: string[] = []
  #seen = 0

  constructor(watch?: WireWatch) {
    this.#watch = watch
  }

  /** Looks at one parsed event. */
  seeEvent(event: unknown): void {
    if (!isRecord(event)) return
    // The holders of all the APIs: the event itself, an answer, a message.
    const { response = event, message = response } = event
    const usage = getField(message, 'usage') ?? event['usage'] ?? event['usageMetadata']
    if (isRecord(usage)) this.usage = { ...this.usage, ...withoutNulls(usage) }
    const model = getField(message, 'model') ?? event['modelVersion']
    if (typeof model === 'string' && model !== '') this.servedModel = model
    this.#watch?.(event, this)
  }

  /** Looks at the text of one event; few are parsed, since pi-ai parses all of them. */
  seeText(data: string): void {
    this.#recent[this.#seen % maxRecent] = data
    this.#seen += 1
    if (!telling.test(data)) return
    if (isEndMark(data)) {
      this.isDone = true
      return
    }
    const hasError = data.includes('"error"')
    const hasCalls = data.includes('"functionCall"')
    const hasInput = data.includes('"content_block_start"') && data.includes('"tool_use"')
    if (!hasError && !hasCalls && !hasInput) return
    const event = parseExactly(data)
    if (hasError) this.#seeError(event)
    if (hasCalls) this.#seeCallObjects(event)
    if (hasInput) this.#seeInput(event)
  }

  /** Whether an event came whole and is no JSON, as opposed to one that was cut. */
  get hasUnreadable(): boolean {
    return this.#recent.some((data) => !isEndMark(data) && !isJsonText(data))
  }

  /** Notes the text with which a block of text or thinking begins; each is taken once, in the order of the blocks. */
  addHead(text: string): void {
    this.#heads.push(text)
  }

  takeHead(): string {
    return this.#heads.shift() ?? ''
  }

  /**
   * The text of arguments that came as an object, with every digit it has on the wire; pi-ai's parser loses digits. Texts
   * before the one that pi-ai has are of calls that it left out.
   */
  takeCallText(ofPi: string): string {
    const at = this.#callTexts.findIndex((text) => JSON.stringify(JSON.parse(text)) === ofPi)
    return at === -1 ? ofPi : (this.#callTexts.splice(0, at + 1).at(-1) ?? ofPi)
  }

  /** The input with which the next call of Anthropic's wire began, its digits kept; blank for none, as is usual. */
  takeInput(): string {
    return this.#inputs.shift() ?? ''
  }

  #seeInput(event: unknown): void {
    if (getField(event, 'content_block.type') !== 'tool_use') return
    const input = getField(event, 'content_block.input')
    this.#inputs.push(isRecord(input) && Object.keys(input).length > 0 ? JSON.stringify(input) : '')
  }

  #seeCallObjects(event: unknown): void {
    const [candidate] = recordsOf(getField(event, 'candidates'))
    for (const part of recordsOf(getField(candidate, 'content.parts'))) {
      const call = part['functionCall']
      if (isRecord(call)) this.#callTexts.push(JSON.stringify(call['args'] ?? {}))
    }
  }

  #seeError(event: unknown): void {
    const first: unknown = Array.isArray(event) ? event[0] : event
    const error = getField(first, 'error')
    const isFlat = getField(first, 'type') === 'error'
    if (isFlat || (error !== undefined && error !== null && error !== '')) this.error = first
  }
}

function isEndMark(data: string): boolean {
  return data.trim() === '[DONE]'
}

/** The first of some members that is a text and not empty. */
export function firstText(event: unknown, paths: readonly string[]): string | undefined {
  return paths
    .map((path) => getField(event, path))
    .find((value): value is string => typeof value === 'string' && value !== '')
}

/** A count that a later event leaves open keeps the value it had. */
function withoutNulls(usage: Payload): Payload {
  return Object.fromEntries(Object.entries(usage).filter(([, count]) => count !== null))
}

import { GrowingText } from './growing-text.ts'

/**
 * Watches a JSON text that arrives in pieces and tells whether it is one complete value already. Looks at nothing
 * until asked, and then only at what came since, so a text costs one pass however often the question is put (R4).
 */
export class JsonText {
  readonly #text = new GrowingText()
  #scanned = 0
  #depth = 0
  #inString = false
  #escaped = false
  #asked = -1
  #answer = false

  get text(): string {
    return this.#text.toString()
  }

  get isBlank(): boolean {
    return this.text.trim() === ''
  }

  append(piece: string): void {
    this.#text.append(piece)
  }

  isComplete(): boolean {
    if (this.#asked === this.#text.length) return this.#answer
    this.#asked = this.#text.length
    this.#scan()
    this.#answer = this.#depth <= 0 && !this.#inString && isJsonText(this.text)
    return this.#answer
  }

  #scan(): void {
    const text = this.text
    for (let at = this.#scanned; at < text.length; at += 1) this.#step(text.charCodeAt(at))
    this.#scanned = text.length
  }

  #step(code: number): void {
    if (this.#inString) this.#stepInString(code)
    else if (code === QUOTE) this.#inString = true
    else if (code === OPEN_BRACE || code === OPEN_BRACKET) this.#depth += 1
    else if (code === CLOSE_BRACE || code === CLOSE_BRACKET) this.#depth -= 1
  }

  #stepInString(code: number): void {
    if (this.#escaped) this.#escaped = false
    else if (code === BACKSLASH) this.#escaped = true
    else if (code === QUOTE) this.#inString = false
  }
}

const QUOTE = 34
const BACKSLASH = 92
const OPEN_BRACE = 123
const CLOSE_BRACE = 125
const OPEN_BRACKET = 91
const CLOSE_BRACKET = 93

/** Whether a text is one complete JSON value, blank space around it allowed. Parses all of it. */
export function isJsonText(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

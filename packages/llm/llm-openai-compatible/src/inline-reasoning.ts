import type { InlineReasoning } from './response-rules.ts'

/** Where pieces of the two kinds go, in order. */
export interface ProseSink {
  text(piece: string): void
  reasoning(piece: string): void
}

/**
 * Splits text in which reasoning stands between marks. Marks may be cut anywhere; what could be the beginning of one
 * is held back until it is decided. Nothing but the marks is left out.
 */
export class InlineReasoningSplitter {
  readonly #marks: InlineReasoning
  readonly #sink: ProseSink
  #inside = false
  #held = ''

  constructor(marks: InlineReasoning, sink: ProseSink) {
    this.#marks = marks
    this.#sink = sink
  }

  /** Passes on what is certain; the rest waits for the next piece or for `flush`. */
  write(piece: string): void {
    let rest = this.#held + piece
    this.#held = ''
    while (rest !== '') {
      const mark = this.#inside ? this.#marks.close : this.#marks.open
      const at = rest.indexOf(mark)
      if (at < 0) return this.#hold(rest, mark)
      this.#put(rest.slice(0, at))
      this.#inside = !this.#inside
      rest = rest.slice(at + mark.length)
    }
  }

  /** Gives up waiting: what was held back is no mark. */
  flush(): void {
    const held = this.#held
    this.#held = ''
    this.#put(held)
  }

  #hold(rest: string, mark: string): void {
    const length = heldLength(rest, mark)
    this.#put(rest.slice(0, rest.length - length))
    this.#held = rest.slice(rest.length - length)
  }

  #put(piece: string): void {
    if (piece === '') return
    if (this.#inside) this.#sink.reasoning(piece)
    else this.#sink.text(piece)
  }
}

/** How many units at the end of a text may be the beginning of a mark. */
function heldLength(text: string, mark: string): number {
  for (let length = Math.min(text.length, mark.length - 1); length > 0; length -= 1) {
    if (mark.startsWith(text.slice(text.length - length))) return length
  }
  return 0
}

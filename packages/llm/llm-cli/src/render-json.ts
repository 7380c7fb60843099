import type { StreamChunk } from 'dsh-llm'
import type { Output } from './output.ts'
import { toPlainJson } from './plain-text.ts'
import type { Renderer } from './renderer.ts'

/** Writes each chunk as one line of JSON and nothing else: one `finish` for each call to the model. */
export class JsonRenderer implements Renderer {
  readonly #output: Output

  constructor(output: Output) {
    this.#output = output
  }

  chunk(chunk: StreamChunk): void {
    this.#output.writeLine(toPlainJson(chunk))
  }

  // Results and figures are no chunks, and nothing else may stand on standard output.
  toolResult(): void {}

  turnEnd(): void {}
}

import { CallId } from './ids.ts'
import { JsonText } from './json-text.ts'
import { endsInsideCharacter } from './surrogate.ts'
import type { StreamChunk } from './types.ts'
import type { ToolCallBlock } from './content.ts'

/** One tool call while it is written: it opens when its name and id are known and closes once (R4, R5). */
export class OpenCall {
  readonly arguments: JsonText = new JsonText()
  index = -1
  closed = false
  name = ''
  id: CallId | undefined
  /** Argument text that waits for a name, or for the second half of a character. */
  #held = ''

  get isOpen(): boolean {
    return this.index >= 0 && !this.closed
  }

  /** Whether it has what a delta needs: a name, and an id or text that cannot wait for one. */
  get mayOpen(): boolean {
    return this.index < 0 && this.name !== '' && (this.id !== undefined || this.#held !== '')
  }

  /** Whether the wire said anything of it; an entry without a word is noise. */
  get wasTold(): boolean {
    return this.id !== undefined || this.name !== '' || this.#held !== ''
  }

  /** Takes the latest name and the first id; once it is open both are final (R5). */
  learn(id: string, name: string): void {
    if (this.index >= 0) return
    if (name !== '') this.name = name
    if (id !== '') this.id ??= CallId(id)
  }

  hold(piece: string): void {
    this.#held += piece
  }

  open(index: number, id: CallId): StreamChunk[] {
    this.index = index
    this.id = id
    const argumentsDelta = this.#take()
    return [
      { type: 'block-start', index, blockType: 'tool-call' },
      { type: 'tool-call-delta', index, id, name: this.name, argumentsDelta },
    ]
  }

  /** The delta for what is held, or nothing when all of it must wait. */
  flush(id: CallId): StreamChunk[] {
    const argumentsDelta = this.#take()
    return argumentsDelta === '' ? [] : [{ type: 'tool-call-delta', index: this.index, id, argumentsDelta }]
  }

  close(id: CallId): StreamChunk[] {
    this.closed = true
    const rest = this.#held
    this.#held = ''
    this.arguments.append(rest)
    const block: ToolCallBlock = { type: 'tool-call', id, name: this.name, arguments: this.arguments.text }
    const end: StreamChunk = { type: 'block-end', index: this.index, block }
    if (rest === '') return [end]
    return [{ type: 'tool-call-delta', index: this.index, id, argumentsDelta: rest }, end]
  }

  #take(): string {
    const ready = endsInsideCharacter(this.#held) ? this.#held.slice(0, -1) : this.#held
    this.#held = this.#held.slice(ready.length)
    this.arguments.append(ready)
    return ready
  }
}

import type { ContentBlock, ContentBlockType } from './content.ts'
import { GrowingText } from './growing-text.ts'
import type { CallId } from './ids.ts'

/** A block while it is assembled. Its first close wins; what comes later is a straggler and changes nothing. */
export class BlockDraft {
  readonly index: number
  readonly #type: ContentBlockType
  readonly #text = new GrowingText()
  #id = '' as CallId
  #name = ''
  #closed: ContentBlock | undefined

  constructor(index: number, type: ContentBlockType) {
    this.index = index
    this.#type = type
  }

  get isClosed(): boolean {
    return this.#closed !== undefined
  }

  addText(type: 'text' | 'reasoning', text: string): void {
    if (this.#closed === undefined && type === this.#type) this.#text.append(text)
  }

  addCall(id: CallId, name: string | undefined, argumentsDelta: string): void {
    if (this.#closed !== undefined || this.#type !== 'tool-call') return
    if (this.#id === '') this.#id = id
    if (this.#name === '' && name !== undefined) this.#name = name
    this.#text.append(argumentsDelta)
  }

  close(block: ContentBlock): void {
    this.#closed ??= Object.freeze(block)
  }

  /** The block as it stands; nothing for one of zero length (R9) or of a kind whose content only its end brings. */
  toBlock(): ContentBlock | undefined {
    const block = this.#closed ?? this.#partial()
    if (block === undefined) return undefined
    return (block.type === 'text' || block.type === 'reasoning') && block.text === '' ? undefined : block
  }

  #partial(): ContentBlock | undefined {
    if (this.#type === 'text' || this.#type === 'reasoning') {
      return Object.freeze({ type: this.#type, text: this.#text.toString() })
    }
    if (this.#type !== 'tool-call' || this.#id === '') return undefined
    return Object.freeze({
      type: 'tool-call',
      id: this.#id,
      name: this.#name,
      arguments: this.#text.toString(),
    })
  }
}

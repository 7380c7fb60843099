import { endsInsideCharacter } from './surrogate.ts'

const PAGE_LENGTH = 4096

/**
 * A text that grows by small pieces. Joined piece by piece, the engine would keep an object per piece until somebody
 * looks inside; here a page is made flat once it is full, so that what stays is the text itself.
 */
export class GrowingText {
  #pages = ''
  #page = ''

  get length(): number {
    return this.#pages.length + this.#page.length
  }

  append(piece: string): void {
    this.#page += piece
    if (this.#page.length >= PAGE_LENGTH) this.#turnPage()
  }

  /** Folds the open page in, so that what a reader made flat stays flat for the next one. */
  toString(): string {
    if (this.#page !== '') {
      this.#pages += this.#page
      this.#page = ''
    }
    return this.#pages
  }

  #turnPage(): void {
    // Looking at a unit is what makes the engine flatten the page. What is seen must matter, or the look is optimised away.
    if (endsInsideCharacter(this.#page)) return
    this.#pages += this.#page
    this.#page = ''
  }
}

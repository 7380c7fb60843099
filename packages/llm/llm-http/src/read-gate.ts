/** Holds one reader back while it is shut, as it is at first. Once released it stays open for good. */
export class ReadGate {
  #isOpen = false
  #isReleased = false
  #wake: (() => void) | undefined

  get isOpen(): boolean {
    return this.#isOpen
  }

  open(): void {
    this.#isOpen = true
    this.#wake?.()
    this.#wake = undefined
  }

  shut(): void {
    this.#isOpen = this.#isReleased
  }

  release(): void {
    this.#isReleased = true
    this.open()
  }

  /** Settles as soon as the gate is open; never rejects. One caller at a time. */
  async passage(): Promise<void> {
    // It may have been shut again before the one it woke came through.
    while (!this.#isOpen) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
    }
  }
}

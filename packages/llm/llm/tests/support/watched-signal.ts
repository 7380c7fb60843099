/** A controller whose signal counts the listeners that are on it. */
export class WatchedController extends AbortController {
  readonly #listeners = new Set<unknown>()

  constructor() {
    super()
    const { signal } = this
    const add = signal.addEventListener.bind(signal)
    const remove = signal.removeEventListener.bind(signal)
    signal.addEventListener = (
      type: string,
      listener: EventListener,
      options?: AddEventListenerOptions,
    ): void => {
      this.#listeners.add(listener)
      add(type, listener, options)
    }
    signal.removeEventListener = (type: string, listener: EventListener): void => {
      this.#listeners.delete(listener)
      remove(type, listener)
    }
  }

  /** Listeners that were added and not removed, whether they were called or not. */
  get listeners(): number {
    return this.#listeners.size
  }
}

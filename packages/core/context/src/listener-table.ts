import type { WaterfallFrame } from './events.ts'

/** One registered listener. `order` decides between equal priorities; `removed` makes running dispatches skip it. */
export interface ListenerEntry {
  readonly callback: (...args: never) => unknown
  readonly priority: number
  readonly order: number
  readonly frame: WaterfallFrame
  /** True once the listener is gone, or for waterfalls once its plugin unloads. */
  readonly isLeaving: () => boolean
  removed: boolean
}

const none: readonly ListenerEntry[] = []

/**
 * The listeners of one scope. Lists are replaced and never changed, so a dispatch that holds one keeps the chain it
 * started with (C5); the merged chain of a scope and its ancestors is kept until one of them changes (C7).
 */
export class ListenerTable {
  readonly #parent: ListenerTable | undefined
  readonly #children: Set<ListenerTable> = new Set()
  readonly #own: Map<string, readonly ListenerEntry[]> = new Map()
  readonly #chains: Map<string, readonly ListenerEntry[]> = new Map()

  constructor(parent?: ListenerTable) {
    this.#parent = parent
    if (parent !== undefined) parent.#children.add(this)
  }

  /** Everyone who hears a dispatch made in this scope, the outermost first. */
  chain(event: string): readonly ListenerEntry[] {
    const known = this.#chains.get(event)
    if (known !== undefined) return known
    const chain = this.#merge(event)
    this.#chains.set(event, chain)
    return chain
  }

  add(event: string, entry: ListenerEntry): void {
    this.#replace(event, [...(this.#own.get(event) ?? none), entry].sort(byPosition))
  }

  remove(event: string, entry: ListenerEntry): void {
    entry.removed = true
    this.#replace(
      event,
      (this.#own.get(event) ?? none).filter((other) => other !== entry),
    )
  }

  /** Stops the parent from keeping this table once its scope has ended. */
  detach(): void {
    if (this.#parent !== undefined) this.#parent.#children.delete(this)
  }

  #merge(event: string): readonly ListenerEntry[] {
    const own = this.#own.get(event) ?? none
    const inherited = this.#parent?.chain(event) ?? none
    if (own.length === 0) return inherited
    if (inherited.length === 0) return own
    return [...inherited, ...own].sort(byPosition)
  }

  #replace(event: string, entries: readonly ListenerEntry[]): void {
    if (entries.length === 0) this.#own.delete(event)
    else this.#own.set(event, entries)
    this.#forget(event)
  }

  #forget(event: string): void {
    this.#chains.delete(event)
    for (const child of this.#children) child.#forget(event)
  }
}

function byPosition(left: ListenerEntry, right: ListenerEntry): number {
  return right.priority - left.priority || left.order - right.order
}

import type { WaterfallFrame } from './events.ts'
import type { Lifetime } from './lifetime.ts'

/** One registered listener. `order` decides between equal priorities; `removed` makes running dispatches skip it. */
export interface ListenerEntry {
  readonly callback: (...args: never) => unknown
  readonly priority: number
  readonly order: number
  readonly frame: WaterfallFrame
  /** Waterfalls skip the listener as soon as this is closed. */
  readonly lifetime: Lifetime
  removed: boolean
}

interface MergedChain {
  readonly own: readonly ListenerEntry[]
  readonly inherited: readonly ListenerEntry[]
  readonly chain: readonly ListenerEntry[]
}

const none: readonly ListenerEntry[] = []

/**
 * The listeners of one scope. Lists are replaced and never changed, so a dispatch that holds one keeps the chain it
 * started with (C5), and the merged chain of a scope is good for as long as it was made from the same lists (C7).
 */
export class ListenerTable {
  readonly #parent: ListenerTable | undefined
  readonly #own: Map<string, readonly ListenerEntry[]> = new Map()
  readonly #merged: Map<string, MergedChain> = new Map()

  constructor(parent?: ListenerTable) {
    this.#parent = parent
  }

  /** Everyone who hears a dispatch made in this scope, the outermost first. */
  chain(event: string): readonly ListenerEntry[] {
    const own = this.#own.get(event) ?? none
    const inherited = this.#parent?.chain(event) ?? none
    if (own.length === 0) return inherited
    if (inherited.length === 0) return own
    const known = this.#merged.get(event)
    if (known?.own === own && known.inherited === inherited) return known.chain
    const chain = [...inherited, ...own].sort(byPosition)
    this.#merged.set(event, { own, inherited, chain })
    return chain
  }

  add(event: string, entry: ListenerEntry): void {
    this.#own.set(event, [...(this.#own.get(event) ?? none), entry].sort(byPosition))
  }

  remove(event: string, entry: ListenerEntry): void {
    entry.removed = true
    const rest = this.#own.get(event)?.filter((other) => other !== entry)
    this.#own.set(event, rest ?? none)
  }
}

function byPosition(left: ListenerEntry, right: ListenerEntry): number {
  return right.priority - left.priority || left.order - right.order
}

import { HarnessError } from './harness-error.ts'
import type { Lifetime } from './lifetime.ts'
import { ListenerTable } from './listener-table.ts'
import { type Dependent, Provision } from './provision.ts'
import type { Service } from './service.ts'

/** Counters shared by all scopes under one root. `version` grows with every service that comes or goes. */
export interface Tree {
  version: number
  order: number
}

/** A space for services and listeners. Only `ctx.extend()` opens a child; it inherits what it does not shadow (C6). */
export class Scope {
  readonly tree: Tree
  readonly listeners: ListenerTable
  /** Fibers loaded in this scope that need services. */
  readonly dependents: Set<Dependent> = new Set()
  readonly #parent: Scope | undefined
  readonly #children: Set<Scope> = new Set()
  readonly #provisions: Map<string, Provision> = new Map()

  constructor(parent?: Scope) {
    this.tree = parent?.tree ?? { version: 0, order: 0 }
    this.listeners = new ListenerTable(parent?.listeners)
    this.#parent = parent
    if (parent !== undefined) parent.#children.add(this)
  }

  /**
   * The nearest service under the key that can be read; one that is still loading shadows nothing yet. What `except`
   * provides is passed over: a plugin that wraps an inherited service under its own key must not find itself.
   */
  find(key: string, except?: Lifetime): Provision | undefined {
    const own = this.#provisions.get(key)
    const isOffered = own?.readable === true && (except === undefined || !own.owner.isWithin(except))
    return isOffered ? own : this.#parent?.find(key, except)
  }

  claim(key: string, service: Service, owner: Lifetime): Provision {
    const holder = this.#provisions.get(key)
    if (holder !== undefined) {
      const reason = `plugin "${holder.owner.plugin}" provides it in this scope`
      const text = `Could not provide service "${key}" from plugin "${owner.plugin}": ${reason}; dispose that one first or use ctx.extend()`
      throw new HarnessError(text, 'DUPLICATE_SERVICE')
    }
    const provision = new Provision(this, { key, service, owner })
    this.#provisions.set(key, provision)
    return provision
  }

  release(provision: Provision): void {
    this.#provisions.delete(provision.key)
  }

  /** Tells every fiber that may see a service of this scope that the services have changed. */
  changed(): void {
    this.tree.version += 1
    for (const dependent of this.dependents) dependent.refresh()
    for (const child of this.#children) child.changed()
  }

  detach(): void {
    if (this.#parent !== undefined) this.#parent.#children.delete(this)
    this.listeners.detach()
  }
}

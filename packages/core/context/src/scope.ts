import type { Fiber } from './fiber.ts'
import { HarnessError } from './harness-error.ts'
import type { Lifetime } from './lifetime.ts'
import { ListenerTable } from './listener-table.ts'
import type { Service } from './service.ts'
import { type Undo, undoAll } from './undo-all.ts'

/** One service under one key of one scope. The key is taken from the claim until the owner's disposal is done (C1). */
export interface Provision {
  readonly key: string
  readonly service: Service
  /** Others may not start with the service any more once this is closed, though its users can still read it. */
  readonly owner: Lifetime
  /** Fibers that run with this service and must stop before it goes. */
  readonly users: Set<Fiber>
  /** From publication until the last user has stopped. */
  isReadable: boolean
}

/** What all scopes under one root share. */
export interface Tree {
  /** Every fiber that needs services, by age. */
  readonly fibers: Set<Fiber>
  /** Grows with every service that comes or goes. */
  version: number
}

/** A space for services and listeners. Only `ctx.extend()` opens a child; it inherits what it does not shadow (C6). */
export class Scope {
  readonly tree: Tree
  readonly listeners: ListenerTable
  readonly #parent: Scope | undefined
  readonly #provisions: Map<string, Provision> = new Map()

  constructor(parent?: Scope) {
    this.tree = parent?.tree ?? { fibers: new Set(), version: 0 }
    this.listeners = new ListenerTable(parent?.listeners)
    this.#parent = parent
  }

  /** The nearest service under the key that can be read; one that is still loading shadows nothing yet. */
  find(key: string): Provision | undefined {
    const own = this.#provisions.get(key)
    return own?.isReadable === true ? own : this.#parent?.find(key)
  }

  /** What a run of a plugin provides here, the first claim first; claims made during the iteration take part. */
  *ownedBy(owner: Lifetime): Generator<Provision> {
    for (const provision of this.#provisions.values()) if (provision.owner === owner) yield provision
  }

  /** Reserves a key until `owner` has undone everything. */
  claim(key: string, service: Service, owner: Lifetime): void {
    const holder = this.#provisions.get(key)?.owner.plugin
    if (holder !== undefined) {
      const advice = `plugin "${holder}" provides it in this scope; dispose that one first or use ctx.extend()`
      const text = `Could not provide service "${key}" from plugin "${owner.plugin}": ${advice}`
      throw new HarnessError(text, 'DUPLICATE_SERVICE')
    }
    this.#provisions.set(key, { key, service, owner, users: new Set(), isReadable: false })
    owner.add(() => void this.#provisions.delete(key))
  }

  publish(provision: Provision): void {
    provision.isReadable = true
    this.#changed()
  }

  /** Stops all users, the latest first, and waits for them; only then does the service become unreadable (C2). */
  withdraw(provision: Provision): Promise<void> {
    const { key, users } = provision
    // Whoever has stopped meanwhile may already run again with another service.
    const stops = [...users].map(
      (user): Undo =>
        () =>
          users.has(user) ? user.stop() : undefined,
    )
    const hide = (): void => {
      provision.isReadable = false
      this.#changed()
    }
    return undoAll([hide, ...stops], `the plugins that use "${key}"`)
  }

  #changed(): void {
    this.tree.version += 1
    for (const fiber of this.tree.fibers) fiber.refresh()
  }
}

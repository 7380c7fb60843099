import { HarnessError } from 'dsh-context'
import type { AdapterRun } from './adapter-run.ts'
import type { LlmAdapter } from './adapter.ts'
import { LlmError } from './error.ts'
import { InFlight } from './in-flight.ts'
import { readProperty } from './read-property.ts'
import { describeFault, distinctListOf, filledText } from './value-rules.ts'

/** One adapter with the routes it owns right now. */
export interface Registration {
  readonly adapter: LlmAdapter
  readonly plugin: string
  readonly runs: InFlight<AdapterRun>
  providers: readonly string[]
  disposed: boolean
}

/** Who owns which route: each route has one owner, and every change happens whole or not at all (L1). */
export class AdapterRegistry {
  /** In registration order. */
  readonly #routes = new Map<string, Registration>()

  get providers(): readonly string[] {
    return [...this.#routes.keys()]
  }

  /** The registration that owns a route; `NO_ADAPTER` names the routes there are. */
  find(provider: string): Registration {
    const registration = this.#routes.get(provider)
    if (registration !== undefined) return registration
    const known = this.providers.map((id) => `"${id}"`).join(', ')
    const advice = known === '' ? 'none is registered; load an adapter plugin' : `registered are ${known}`
    throw new LlmError(`No adapter answers for provider "${provider}": ${advice}`, 'NO_ADAPTER')
  }

  owner(provider: string): LlmAdapter | undefined {
    return this.#routes.get(provider)?.adapter
  }

  add(providers: readonly string[], adapter: LlmAdapter, plugin: string): Registration {
    assertAdapter(adapter)
    const registration = { adapter, plugin, runs: new InFlight<AdapterRun>(), providers: [], disposed: false }
    this.replace(registration, providers)
    return registration
  }

  /** Swaps the routes of a registration in one synchronous section, after everything was checked. */
  replace(registration: Registration, providers: readonly string[]): void {
    if (registration.disposed) {
      const message = `Could not replace the routes of plugin "${registration.plugin}": the registration is disposed`
      throw new HarnessError(message, 'REGISTRATION_DISPOSED')
    }
    assertRoutes(providers)
    const wanted = Object.freeze([...providers])
    for (const provider of wanted) this.#assertFree(provider, registration)
    for (const provider of registration.providers) if (!wanted.includes(provider)) this.#routes.delete(provider)
    for (const provider of wanted) this.#take(provider, registration)
    registration.providers = wanted
  }

  remove(registration: Registration): void {
    for (const provider of registration.providers) this.#routes.delete(provider)
    registration.providers = []
    registration.disposed = true
  }

  /** A stand-in that owned the route keeps its others. */
  #take(provider: string, registration: Registration): void {
    const owner = this.#routes.get(provider)
    if (owner !== undefined && owner !== registration)
      owner.providers = owner.providers.filter((route) => route !== provider)
    this.#routes.set(provider, registration)
  }

  #assertFree(provider: string, registration: Registration): void {
    const owner = this.#routes.get(provider)
    if (owner === undefined || owner === registration || owner.adapter.givesWay) return
    const message = `Provider "${provider}" already has an adapter, registered by plugin "${owner.plugin}"`
    throw new HarnessError(
      `${message}; use another route or dispose that registration first`,
      'DUPLICATE_ADAPTER',
    )
  }
}

const methods = ['stream', 'providerInfo', 'listModels', 'resolveModel', 'providerRetryPolicy'] as const

function assertAdapter(adapter: unknown): void {
  const missing = methods.find((name) => typeof readProperty(adapter, name) !== 'function')
  if (missing !== undefined) throw invalidAdapter(`it has no ${missing}() method; extend LlmAdapter`)
  const has = readProperty(readProperty(adapter, 'options'), 'has')
  if (typeof has !== 'function') throw invalidAdapter('its options are no set; extend LlmAdapter')
}

const routes = distinctListOf(filledText)

function assertRoutes(providers: unknown): void {
  const fault = routes(providers, 'providers')
  if (fault !== undefined) throw invalidAdapter(describeFault(fault))
}

function invalidAdapter(why: string): HarnessError {
  return new HarnessError(`Could not register the adapter: ${why}`, 'INVALID_ADAPTER')
}

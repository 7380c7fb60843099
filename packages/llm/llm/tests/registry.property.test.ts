import fc from 'fast-check'
import type { Context, Fiber } from 'dsh-context'
import { describe, expect, it } from 'vitest'
import type { AdapterRegistrationHandle } from '../src/index.ts'
import { says, stream } from './support/chunks.ts'
import { FunctionAdapter } from './support/function-adapter.ts'
import { startTestLlm } from './support/test-llm.ts'

interface Step {
  readonly what: 'register' | 'replace' | 'dispose' | 'unload'
  readonly plugin: number
  readonly registration: number
  readonly routes: readonly string[]
}

/** One registration as the model sees it. */
interface Owner {
  readonly plugin: number
  readonly adapter: FunctionAdapter
  readonly handle: AdapterRegistrationHandle
  routes: readonly string[]
  live: boolean
}

const steps = fc.array(
  fc.record<Step>({
    what: fc.constantFrom('register', 'replace', 'dispose', 'unload'),
    plugin: fc.nat(2),
    registration: fc.nat(5),
    // Some lists name a route twice: those must be refused whole.
    routes: fc.array(fc.constantFrom('a', 'b', 'c', 'd'), { maxLength: 3 }),
  }),
  { maxLength: 25 },
)

class World {
  readonly owners: Owner[] = []
  readonly contexts: (Context | undefined)[] = []
  refused = 0

  /** Whether a registration could take these routes, by a rule written down a second time. */
  mayTake(routes: readonly string[], self?: Owner): boolean {
    const taken = this.owners.filter((owner) => owner !== self).flatMap((owner) => owner.routes)
    return new Set(routes).size === routes.length && routes.every((route) => !taken.includes(route))
  }

  /** Runs an action that must be refused exactly if the rule says so. */
  attempt(allowed: boolean, action: () => void): void {
    let failed = false
    try {
      action()
    } catch {
      failed = true
      this.refused += 1
    }
    expect(failed).toBe(!allowed)
  }

  async take(step: Step, fibers: readonly Fiber[]): Promise<void> {
    const owner = this.owners[step.registration]
    if (step.what === 'register') return this.register(step)
    if (step.what === 'unload') return this.unload(step.plugin, fibers[step.plugin])
    if (owner === undefined) return
    if (step.what === 'replace') return this.replace(owner, step.routes)
    await owner.handle()
    this.end(owner)
  }

  async unload(plugin: number, fiber: Fiber | undefined): Promise<void> {
    await fiber?.dispose()
    this.contexts[plugin] = undefined
    for (const owner of this.owners) if (owner.plugin === plugin) this.end(owner)
  }

  register({ plugin, routes }: Step): void {
    const context = this.contexts[plugin]
    if (context === undefined) return
    const adapter = new FunctionAdapter(() => stream(...says('a')))
    this.attempt(this.mayTake(routes), () => {
      const handle = context.llm.registerAdapter(routes, adapter)
      this.owners.push({ plugin, adapter, handle, routes, live: true })
    })
  }

  replace(owner: Owner, routes: readonly string[]): void {
    this.attempt(owner.live && this.mayTake(routes, owner), () => {
      owner.handle.replace(routes)
      owner.routes = routes
    })
  }

  end(owner: Owner): void {
    owner.live = false
    owner.routes = []
  }
}

describe('Routes (L1)', () => {
  it('have one living owner each, whatever several plugins register, replace, dispose and unload in any order', async () => {
    await fc.assert(
      fc.asyncProperty(steps, async (script) => {
        const { ctx, llm } = await startTestLlm()
        const world = new World()
        const fibers = [0, 1, 2].map((index) =>
          ctx.plugin({
            name: `p${index}`,
            inject: ['llm'],
            apply: (own) => void (world.contexts[index] = own),
          }),
        )
        for (const fiber of fibers) await fiber
        for (const step of script) {
          await world.take(step, fibers)
          const expected = world.owners.flatMap(({ routes }) => routes)
          expect(
            llm
              .listProviders()
              .map(({ id }) => id)
              .toSorted(),
          ).toEqual(expected.toSorted())
          for (const { routes, adapter } of world.owners) {
            for (const route of routes) expect(llm.registry.owner(route)).toBe(adapter)
          }
        }
      }),
      { numRuns: 200 },
    )
  })
})

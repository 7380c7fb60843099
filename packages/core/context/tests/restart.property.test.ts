import { Context, type Fiber } from 'dsh-context'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { CounterService, drainMicrotasks, listenToErrors, OtherService } from './kit.ts'

/** Every run of a plugin, with how often its undo ran. */
interface Run {
  undone: number
}

const step = fc.record({
  target: fc.constantFrom('counter', 'other', 'user', 'scope'),
  action: fc.constantFrom('load', 'dispose'),
  waits: fc.integer({ min: 0, max: 3 }),
})

/** Loads and unloads three plugins that build on each other, one of them in a child scope. */
class Playground {
  readonly ctx: Context = new Context()
  readonly runs: Run[] = []
  readonly errors: unknown[] = listenToErrors(this.ctx)
  readonly #scope: Context = this.ctx.extend()
  readonly #fibers: Map<string, Fiber> = new Map()

  load(target: string): void {
    if (this.#fibers.has(target)) return
    this.#fibers.set(target, this.#create(target))
  }

  /** The key of a service is free again once its dispose is done, so only the user may be loaded again before. */
  async dispose(target: string): Promise<void> {
    const fiber = this.#fibers.get(target)
    if (fiber === undefined) return
    if (target === 'user') this.#fibers.delete(target)
    await fiber.dispose()
    if (this.#fibers.get(target) === fiber) this.#fibers.delete(target)
  }

  states(): Record<string, string | undefined> {
    return Object.fromEntries([...this.#fibers].map(([target, fiber]) => [target, fiber.state]))
  }

  expected(): Record<string, string> {
    const has = (target: string): boolean => this.#fibers.has(target)
    const isOtherUp = has('other') && has('counter')
    const isUserUp = isOtherUp && (has('scope') || has('counter'))
    const wanted = { counter: true, other: isOtherUp, user: isUserUp, scope: true }
    return Object.fromEntries(
      Object.entries(wanted)
        .filter(([target]) => has(target))
        .map(([target, isUp]) => [target, isUp ? 'active' : 'waiting']),
    )
  }

  #create(target: string): Fiber {
    const track = (ctx: Context): void => this.#track(ctx)
    if (target === 'counter') return this.ctx.plugin(CounterService)
    if (target === 'scope') return this.#scope.plugin(CounterService)
    if (target === 'other') {
      return this.ctx.plugin(
        class extends OtherService {
          static readonly inject = ['fixtureCounter']
          override async start(): Promise<void> {
            track(this.ctx)
            await Promise.resolve()
          }
        },
      )
    }
    return this.#scope.plugin({
      name: 'user',
      inject: ['fixtureOther', 'fixtureCounter'],
      async apply(ctx) {
        track(ctx)
        await Promise.resolve()
      },
    })
  }

  #track(ctx: Context): void {
    const run: Run = { undone: 0 }
    ctx.effect(() => async () => {
      run.undone += 1
      await Promise.resolve()
    })
    this.runs.push(run)
  }
}

describe('Fiber', () => {
  it('ends in the state the last change asks for, whatever came before, and undoes every run once (C2, C3)', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
        const playground = new Playground()
        const pending: Promise<void>[] = []
        for (const { target, action, waits } of steps) {
          if (action === 'load') playground.load(target)
          else pending.push(playground.dispose(target))
          for (let turn = 0; turn < waits; turn += 1) await Promise.resolve()
        }
        await Promise.all(pending)
        await drainMicrotasks()
        expect(playground.states()).toEqual(playground.expected())
        expect(playground.runs.filter((run) => run.undone > 1)).toEqual([])
        await playground.ctx.dispose()
        expect(playground.runs.filter((run) => run.undone !== 1)).toEqual([])
        expect(playground.errors).toEqual([])
      }),
      { numRuns: 300 },
    )
  })
})

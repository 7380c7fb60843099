import { Context, Service } from 'dsh-context'
import { describe, expect, it } from 'vitest'
import { CounterService, createGate, listenToErrors, OtherService } from './kit.ts'

describe('Service', () => {
  it('is read as the same view within one context and another in the next (C1)', async () => {
    const ctx = new Context()
    await ctx.plugin(CounterService)
    let inner: unknown
    await ctx.plugin((child: Context) => {
      inner = child.fixtureCounter
      expect(child.fixtureCounter.ctx).toBe(child)
    })
    expect(ctx.fixtureCounter).toBe(ctx.fixtureCounter)
    expect(ctx.fixtureCounter).toBeInstanceOf(CounterService)
    expect(inner).toBeInstanceOf(CounterService)
    expect(inner).not.toBe(ctx.fixtureCounter)
  })

  it('keeps its view while other services come and go (C1)', async () => {
    const ctx = new Context()
    await ctx.plugin(CounterService)
    const view = ctx.fixtureCounter
    const other = ctx.plugin(OtherService)
    expect(ctx.fixtureCounter).toBe(view)
    await other.dispose()
    expect(ctx.fixtureCounter).toBe(view)
  })

  it('charges a registration to the calling plugin (C1)', async () => {
    const ctx = new Context()
    await ctx.plugin(CounterService)
    const caller = ctx.plugin((child: Context) => child.fixtureCounter.register('of caller'))
    ctx.fixtureCounter.register('of root')
    expect([...ctx.fixtureCounter.names]).toEqual(['of caller', 'of root'])
    await caller.dispose()
    expect([...ctx.fixtureCounter.names]).toEqual(['of root'])
  })

  it('has its own context inside itself (C1)', async () => {
    class Selfish extends CounterService {
      override start(): void {
        this.register('own')
      }
    }
    const ctx = new Context()
    const fiber = ctx.plugin(Selfish)
    const { names } = ctx.fixtureCounter
    expect([...names]).toEqual(['own'])
    await fiber.dispose()
    expect([...names]).toEqual([])
  })

  it('refuses stray state on a view (C1)', async () => {
    const ctx = new Context()
    await ctx.plugin(CounterService)
    expect(() => Object.assign(ctx.fixtureCounter, { stray: 1 })).toThrow(TypeError)
  })

  it('is published only after start() is done (C1)', async () => {
    const gate = createGate()
    class Slow extends CounterService {
      override start(): Promise<void> {
        return gate.promise
      }
    }
    const ctx = new Context()
    const fiber = ctx.plugin(Slow)
    expect(ctx.get('fixtureCounter')).toBeUndefined()
    gate.resolve()
    await fiber
    expect(ctx.get('fixtureCounter')).toBeInstanceOf(Slow)
  })

  it('frees its key when start() fails (C1)', async () => {
    class Broken extends CounterService {
      override start(): void {
        throw new Error('no port')
      }
    }
    const ctx = new Context()
    const heard = listenToErrors(ctx)
    await expect(ctx.plugin(Broken)).rejects.toThrow('no port')
    await ctx.plugin(CounterService)
    expect(ctx.fixtureCounter).toBeInstanceOf(CounterService)
    expect(heard.map(([plugin]) => plugin)).toEqual(['Broken'])
  })

  it('refuses a second one under the same key, and leaves the first (C1)', async () => {
    const ctx = new Context()
    listenToErrors(ctx)
    await ctx.plugin(CounterService)
    const first = ctx.fixtureCounter
    await expect(ctx.plugin(CounterService)).rejects.toMatchObject({ code: 'DUPLICATE_SERVICE' })
    expect(ctx.fixtureCounter).toBe(first)
  })

  it('claims its key in the constructor, so a second one is refused while the first still starts (C1)', async () => {
    const gate = createGate()
    class Slow extends CounterService {
      override start(): Promise<void> {
        return gate.promise
      }
    }
    const ctx = new Context()
    listenToErrors(ctx)
    const slow = ctx.plugin(Slow)
    await expect(ctx.plugin(CounterService)).rejects.toMatchObject({ code: 'DUPLICATE_SERVICE' })
    gate.resolve()
    await slow
  })

  it.each(['plugin', 'on', 'constructor', 'toString', 'then', ''])('refuses the name %j (C1)', async (key) => {
    class Named extends Service {
      constructor(ctx: Context) {
        super(ctx, key)
      }
    }
    const ctx = new Context()
    listenToErrors(ctx)
    await expect(ctx.plugin(Named)).rejects.toMatchObject({ code: 'DUPLICATE_SERVICE' })
  })

  it('is refused outside a plugin that loads: no loader would publish it (C1)', async () => {
    const ctx = new Context()
    let inner = ctx
    await ctx.plugin((child: Context) => void (inner = child))
    for (const context of [ctx, ctx.extend(), inner])
      expect(() => new CounterService(context)).toThrow(expect.objectContaining({ code: 'NOT_LOADING' }))
    await ctx.plugin(CounterService)
    expect(ctx.fixtureCounter).toBeInstanceOf(CounterService)
  })
})

describe('Context, reading a service', () => {
  it('throws for a declared key that nobody provides, naming it (C1)', () => {
    const ctx = new Context()
    ctx.plugin({ name: 'waits', inject: ['fixtureCounter'], apply() {} })
    expect(() => ctx.fixtureCounter).toThrow(
      expect.objectContaining({
        code: 'SERVICE_NOT_FOUND',
        message: expect.stringContaining('fixtureCounter'),
      }),
    )
    expect(ctx.get('fixtureCounter')).toBeUndefined()
  })

  it('gives undefined for a key nobody ever declared (C1)', async () => {
    const ctx = new Context()
    expect(Reflect.get(ctx, 'fixtureNeverDeclared')).toBeUndefined()
    expect(await Promise.resolve(ctx)).toBe(ctx)
  })

  it('throws again once the provider is gone (C1)', async () => {
    const ctx = new Context()
    const fiber = ctx.plugin(CounterService)
    await fiber
    expect(ctx.fixtureCounter.names.size).toBe(0)
    await fiber.dispose()
    expect(() => ctx.fixtureCounter).toThrow('nobody provides it')
  })
})

import { Context, type Fiber } from 'dsh-context'
import { describe, expect, it } from 'vitest'
import { CounterService, createGate, drainMicrotasks, listenToErrors } from './kit.ts'

describe('Context.dispose', () => {
  it('ends plugins, their plugins and their listeners (C2)', async () => {
    const ctx = new Context()
    const log: string[] = []
    const outer = ctx.plugin((child: Context) => {
      child.effect(() => () => void log.push('outer'))
      child.plugin((grandchild: Context) => void grandchild.effect(() => () => void log.push('inner')))
    })
    await ctx.dispose()
    expect(log).toEqual(['inner', 'outer'])
    expect(outer.state).toBe('disposed')
  })

  it.each(['plugin', 'effect', 'on', 'once', 'extend'] as const)(
    'refuses %s from then on (C3)',
    async (method) => {
      const ctx = new Context()
      await ctx.dispose()
      const calls = {
        plugin: () => ctx.plugin(() => {}),
        effect: () => ctx.effect(() => () => {}),
        on: () => ctx.on('fixture/told', () => {}),
        once: () => ctx.once('fixture/told', () => {}),
        extend: () => ctx.extend(),
      }
      expect(calls[method]).toThrow(expect.objectContaining({ code: 'CONTEXT_DISPOSED' }))
    },
  )

  it('may be called twice at once: both wait, every undo runs once (C3)', async () => {
    const ctx = new Context()
    const gate = createGate()
    let undone = 0
    ctx.effect(() => async () => {
      await gate.promise
      undone += 1
    })
    const both = Promise.all([ctx.dispose(), ctx.dispose()])
    gate.resolve()
    await both
    expect(undone).toBe(1)
  })

  it('works with await using (C3)', async () => {
    const log: string[] = []
    {
      await using ctx = new Context()
      ctx.effect(() => () => void log.push('undone'))
    }
    expect(log).toEqual(['undone'])
  })

  it('throws what plugins failed to undo, together (C3)', async () => {
    const ctx = new Context()
    ctx.plugin({
      name: 'user',
      inject: ['fixtureCounter'],
      apply: (child) => void child.effect(() => () => Promise.reject(new Error('user'))),
    })
    ctx.plugin(CounterService)
    ctx.effect(() => () => {
      throw new Error('root')
    })
    const error = await ctx.dispose().catch((reason: unknown) => reason)
    expect(error).toBeInstanceOf(AggregateError)
    expect(Object(error).errors.map(String)).toEqual(['Error: root', 'Error: user'])
  })
})

describe('Fiber.dispose', () => {
  it('may be asked for by the plugin while it loads (C2)', async () => {
    const ctx = new Context()
    const log: string[] = []
    const fiber = ctx.plugin(async (child: Context) => {
      child.effect(() => () => void log.push('undone'))
      await child.dispose()
      log.push('went on')
    })
    await fiber
    await drainMicrotasks()
    expect(log).toEqual(['undone', 'went on'])
    expect(fiber.state).toBe('disposed')
  })

  it('may be asked for before the first await of apply (C2)', async () => {
    const ctx = new Context()
    const fiber = ctx.plugin((child: Context) => void child.dispose())
    await fiber
    expect(fiber.state).toBe('disposed')
  })

  it('may be asked for by an undo of the plugin, which then does not wait for itself (C3)', async () => {
    const ctx = new Context()
    const provider = ctx.plugin(CounterService)
    const fiber = ctx.plugin({
      name: 'user',
      inject: ['fixtureCounter'],
      apply: (child) =>
        void child.effect(() => async () => {
          await Promise.resolve()
          await child.dispose()
        }),
    })
    await provider.dispose()
    expect(fiber.state).toBe('disposed')
    await ctx.plugin(CounterService)
    expect(fiber.state).toBe('disposed')
  })

  it('does not wait for an apply that never ends, and refuses it from then on (C3)', async () => {
    const ctx = new Context()
    let inner: Context | undefined
    const fiber = ctx.plugin((child: Context) => {
      inner = child
      return new Promise<void>(() => {})
    })
    await fiber.dispose()
    await fiber
    expect(() => inner?.on('fixture/told', () => {})).toThrow('disposed or unloading')
  })

  it('keeps a service from starting when its plugin was ended before (C1)', async () => {
    const ctx = new Context()
    const gate = createGate()
    let started = false
    class Late extends CounterService {
      override start(): void {
        started = true
      }
    }
    const fiber = ctx.plugin(async (child: Context) => {
      const service = new Late(child)
      await gate.promise
      expect(service).toBeInstanceOf(Late)
    })
    await fiber.dispose()
    gate.resolve()
    await drainMicrotasks()
    expect(started).toBe(false)
  })

  it('reports a load that fails after it was given up (C2)', async () => {
    const ctx = new Context()
    const heard = listenToErrors(ctx)
    const gate = createGate()
    const late = new Error('late')
    const fiber: Fiber = ctx.plugin(async function slow() {
      await gate.promise
      throw late
    })
    await fiber.dispose()
    gate.resolve()
    await drainMicrotasks()
    expect(heard).toEqual([['slow', late]])
  })

  it('leaves the rest of the context alone and may be repeated (C2)', async () => {
    const ctx = new Context()
    await ctx.plugin(CounterService)
    const fiber = ctx.plugin((child: Context) => child.fixtureCounter.register('a'))
    await Promise.all([fiber.dispose(), fiber.dispose()])
    await fiber.dispose()
    expect(ctx.fixtureCounter.names.size).toBe(0)
  })
})

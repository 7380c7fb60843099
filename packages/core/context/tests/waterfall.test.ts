import { Context, type WaterfallFrame } from 'dsh-context'
import { describe, expect, it } from 'vitest'
import { createGate, drainMicrotasks, listenToErrors } from './kit.ts'

type Next = (...replacement: [number] | []) => number

describe('Context.waterfall', () => {
  it.each<{
    name: string
    listeners: ((value: number, next: Next) => number)[]
    result: number
    terminal: number[]
  }>([
    { name: 'no listener', listeners: [], result: 1, terminal: [1] },
    { name: 'next() passes the same', listeners: [(_value, next) => next()], result: 1, terminal: [1] },
    { name: 'next(x) passes x', listeners: [(value, next) => next(value + 1)], result: 2, terminal: [2] },
    { name: 'no next at all', listeners: [() => 7, (_value, next) => next()], result: 7, terminal: [] },
    {
      name: 'next() twice runs the whole inner chain twice',
      listeners: [(_value, next) => next() + next(), (value, next) => next(value * 10)],
      result: 20,
      terminal: [10, 10],
    },
    {
      name: 'next() after next(x) still passes what this frame got',
      listeners: [(_value, next) => next(5) + next()],
      result: 6,
      terminal: [5, 1],
    },
    {
      name: 'an inner frame gets the replacement as its own',
      listeners: [(_value, next) => next(3), (value, next) => next() + value],
      result: 6,
      terminal: [3],
    },
  ])('law: $name (C5)', ({ listeners, result, terminal }) => {
    const ctx = new Context()
    for (const listener of listeners) ctx.on('fixture/sum', listener)
    const reached: number[] = []
    const outcome = ctx.waterfall('fixture/sum', [1], (value) => {
      reached.push(value)
      return value
    })
    expect({ outcome, reached }).toEqual({ outcome: result, reached: terminal })
  })

  it('keeps the chain it started with; a listener removed later is skipped, never entered (C5)', () => {
    const ctx = new Context()
    const entered: string[] = []
    ctx.on('fixture/sum', (_value, next) => {
      const first = next()
      void off()
      ctx.on('fixture/sum', (_inner, onward) => {
        entered.push('late')
        return onward()
      })
      return first + next()
    })
    const off = ctx.on('fixture/sum', (_value, next) => {
      entered.push('removed')
      return next()
    })
    expect(ctx.waterfall('fixture/sum', [1], (value) => value)).toBe(2)
    expect(entered).toEqual(['removed'])
  })

  it('skips the listeners of a plugin that is unloading (C5)', async () => {
    const ctx = new Context()
    const gate = createGate()
    const fiber = ctx.plugin((child: Context) => {
      child.on('fixture/sum', (value, next) => next(value + 1))
      child.effect(() => () => gate.promise)
    })
    const disposal = fiber.dispose()
    expect(ctx.waterfall('fixture/sum', [1], (value) => value)).toBe(1)
    gate.resolve()
    await disposal
  })

  it('lets a frame call next() after it has returned (C5)', () => {
    const ctx = new Context()
    const late: Next[] = []
    ctx.on('fixture/sum', (_value, next) => {
      late.push(next)
      return 0
    })
    ctx.on('fixture/sum', (value, next) => next(value + 1))
    expect(ctx.waterfall('fixture/sum', [1], (value) => value)).toBe(0)
    expect(late.map((next) => [next(), next(10)])).toEqual([[2, 11]])
  })

  it('seals what every listener returns, not what the terminal does (C5)', () => {
    const ctx = new Context()
    const frames: [string, unknown][] = []
    const seen: number[] = []
    ctx.plugin(function outer(child: Context) {
      child.on('fixture/sum', (_value, next) => {
        const result = next()
        seen.push(result)
        return result
      })
    })
    ctx.plugin(function inner(child: Context) {
      child.on('fixture/sum', async (_value, next) => next() + 1)
    })
    const seal = (result: number | Promise<number>, frame: WaterfallFrame): number => {
      frames.push([frame.plugin, result])
      return typeof result === 'number' ? result * 2 : 50
    }
    expect(ctx.waterfall('fixture/sum', [1], (value) => value, { seal })).toBe(100)
    expect(seen).toEqual([50])
    expect(frames).toEqual([
      ['inner', expect.any(Promise)],
      ['outer', 50],
    ])
  })

  it('tells seal the context of the listener, whose effects end with its plugin (C5)', async () => {
    const ctx = new Context()
    const log: string[] = []
    const fiber = ctx.plugin((child: Context) => void child.on('fixture/sum', (_value, next) => next()))
    ctx.waterfall('fixture/sum', [1], (value) => value, {
      seal(result, frame) {
        frame.context.effect(() => () => void log.push('drained'))
        return Number(result)
      },
    })
    await fiber.dispose()
    expect(log).toEqual(['drained'])
  })
})

describe('Context.waterfall, failing', () => {
  const passing = (_value: number, next: Next): number => next()

  function createContext(): { ctx: Context; heard: ReturnType<typeof listenToErrors> } {
    const ctx = new Context()
    return { ctx, heard: listenToErrors(ctx) }
  }

  it.each([new Error('object'), 'primitive', undefined])(
    'blames only the frame where %s began (C5, L7)',
    (error) => {
      const { ctx, heard } = createContext()
      ctx.plugin(function outer(child: Context) {
        child.on('fixture/sum', passing)
      })
      ctx.plugin(function guilty(child: Context) {
        child.on('fixture/sum', () => {
          throw error
        })
      })
      const caught: unknown[] = []
      try {
        ctx.waterfall('fixture/sum', [1], (value) => value)
      } catch (reason) {
        caught.push(reason)
      }
      expect(caught).toEqual([error])
      expect(heard).toEqual([['guilty', error]])
    },
  )

  it('blames the innermost of several asynchronous frames (C5, L7)', async () => {
    const { ctx, heard } = createContext()
    const error = new Error('later')
    ctx.plugin(function outer(child: Context) {
      child.on('fixture/later', async (_value, next) => (await next()) + 1)
    })
    ctx.plugin(function guilty(child: Context) {
      child.on('fixture/later', () => Promise.reject(error))
    })
    await expect(ctx.waterfall('fixture/later', [1], async (value) => value)).rejects.toBe(error)
    await drainMicrotasks()
    expect(heard).toEqual([['guilty', error]])
  })

  it('blames nobody for what the terminal throws, now or later (C5, L7)', async () => {
    const { ctx, heard } = createContext()
    ctx.on('fixture/sum', passing)
    ctx.on('fixture/later', async (_value, next) => next())
    const fail = (): never => {
      throw new Error('terminal')
    }
    expect(() => ctx.waterfall('fixture/sum', [1], fail)).toThrow('terminal')
    await expect(ctx.waterfall('fixture/later', [1], () => Promise.reject('text'))).rejects.toBe('text')
    await drainMicrotasks()
    expect(heard).toEqual([])
  })

  it('blames nobody again for an error that came from a call inside a listener (C5, L7)', () => {
    const { ctx, heard } = createContext()
    ctx.plugin(function caller(child: Context) {
      child.on('fixture/sum', (value, next) =>
        value > 0 ? child.waterfall('fixture/sum', [-1], (inner) => inner) : next(),
      )
    })
    ctx.plugin(function guilty(child: Context) {
      child.on('fixture/sum', () => {
        throw new Error('nested')
      })
    })
    expect(() => ctx.waterfall('fixture/sum', [1], (value) => value)).toThrow('nested')
    expect(heard.map(([plugin]) => plugin)).toEqual(['guilty'])
  })

  it('blames the listener for what seal thinks of its result (C5)', () => {
    const { ctx, heard } = createContext()
    ctx.plugin(function odd(child: Context) {
      child.on('fixture/sum', () => -1)
    })
    const seal = (): never => {
      throw new Error('refused')
    }
    expect(() => ctx.waterfall('fixture/sum', [1], (value) => value, { seal })).toThrow('refused')
    expect(heard.map(([plugin]) => plugin)).toEqual(['odd'])
  })

  it('lets an outer frame recover: reported, not thrown (C5)', () => {
    const { ctx, heard } = createContext()
    ctx.on('fixture/sum', (_value, next) => {
      try {
        return next()
      } catch {
        return 42
      }
    })
    ctx.on('fixture/sum', () => {
      throw new Error('inner')
    })
    expect(ctx.waterfall('fixture/sum', [1], (value) => value)).toBe(42)
    expect(heard).toHaveLength(1)
  })
})

import { Context } from 'dsh-context'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { drainMicrotasks, listenToErrors } from './kit.ts'

describe('Context.on', () => {
  it.each([
    { name: 'registration order', options: [{}, {}, {}], order: [0, 1, 2] },
    { name: 'higher priority first', options: [{ priority: -1 }, {}, { priority: 5 }], order: [2, 1, 0] },
    {
      name: 'prepend within one priority',
      options: [{}, { prepend: true }, { prepend: true }],
      order: [2, 1, 0],
    },
    { name: 'priority before prepend', options: [{ priority: 1 }, { prepend: true }, {}], order: [0, 1, 2] },
  ])('orders by $name (C4)', ({ options, order }) => {
    const ctx = new Context()
    const heard: number[] = []
    for (const [index, option] of options.entries()) ctx.on('fixture/told', () => heard.push(index), option)
    ctx.emit('fixture/told', 'x')
    expect(heard).toEqual(order)
  })

  it('returns a disposer, and ends with its plugin (C4)', async () => {
    const ctx = new Context()
    const heard: string[] = []
    const off = ctx.on('fixture/told', (text) => heard.push(`root ${text}`))
    const fiber = ctx.plugin(
      (child: Context) => void child.on('fixture/told', (text) => heard.push(`plugin ${text}`)),
    )
    ctx.emit('fixture/told', '1')
    await fiber.dispose()
    ctx.emit('fixture/told', '2')
    void off()
    ctx.emit('fixture/told', '3')
    expect(heard).toEqual(['root 1', 'plugin 1', 'root 2'])
  })

  it('does not call a listener that an earlier one has just removed (C4)', () => {
    const ctx = new Context()
    const heard: string[] = []
    ctx.on('fixture/told', () => void off())
    const off = ctx.on('fixture/told', (text) => heard.push(text))
    ctx.emit('fixture/told', 'x')
    expect(heard).toEqual([])
  })
})

describe('Context.once', () => {
  it('hears one event, even if it dispatches again itself (C4)', () => {
    const ctx = new Context()
    const heard: string[] = []
    ctx.once('fixture/told', (text) => {
      heard.push(text)
      ctx.emit('fixture/told', 'again')
    })
    ctx.emit('fixture/told', 'first')
    expect(heard).toEqual(['first'])
  })

  it('wraps one waterfall and may be disposed of before (C4)', () => {
    const ctx = new Context()
    ctx.once('fixture/sum', (value, next) => next(value * 10))
    const off = ctx.once('fixture/sum', (value, next) => next(value + 1))
    void off()
    const run = (): number => ctx.waterfall('fixture/sum', [1], (value) => value)
    expect([run(), run()]).toEqual([10, 1])
  })
})

describe('Context.emit', () => {
  it('contains throws and rejections, reports each under its plugin and starves nobody (C4)', async () => {
    const ctx = new Context()
    const errors = listenToErrors(ctx)
    const heard: string[] = []
    ctx.plugin(function throwing(child: Context) {
      child.on('fixture/told', () => {
        throw new Error('thrown')
      })
    })
    ctx.plugin(function rejecting(child: Context) {
      child.on('fixture/told', async () => Promise.reject(new Error('rejected')))
    })
    ctx.on('fixture/told', (text) => heard.push(text))
    ctx.emit('fixture/told', 'x')
    await drainMicrotasks()
    expect(heard).toEqual(['x'])
    expect(errors.map(([plugin, error]) => [plugin, String(error)])).toEqual([
      ['throwing', 'Error: thrown'],
      ['rejecting', 'Error: rejected'],
    ])
  })
})

describe('Context.reportError', () => {
  const printed: unknown[][] = []
  const { error: original } = console

  beforeEach(() => {
    printed.length = 0
    console.error = (...args: unknown[]) => void printed.push(args)
  })

  afterEach(() => {
    console.error = original
  })

  it('reaches the console when nobody listens (C2)', () => {
    const error = new Error('lonely')
    new Context().reportError(error, 'somebody')
    expect(printed).toEqual([[expect.stringContaining('"somebody"'), error]])
  })

  it('announces one error object once (C5)', () => {
    const ctx = new Context()
    const heard = listenToErrors(ctx)
    const error = new Error('twice')
    ctx.reportError(error, 'inner')
    ctx.reportError(error, 'outer')
    expect(heard).toEqual([['inner', error]])
  })

  it('prints the failure of an internal/error listener instead of announcing it (C4)', async () => {
    const ctx = new Context()
    let calls = 0
    ctx.on('internal/error', () => {
      calls += 1
      throw new Error('sync')
    })
    ctx.on('internal/error', () => Promise.reject(new Error('async')))
    ctx.reportError('first', 'somebody')
    await drainMicrotasks()
    expect(calls).toBe(1)
    expect(printed.map(([, error]) => String(error))).toEqual(['Error: sync', 'Error: async'])
  })

  it('is where a load failure goes, awaited or not, and nothing is left unhandled (C2)', async () => {
    const ctx = new Context()
    ctx.plugin(function broken() {
      throw new Error('load')
    })
    await drainMicrotasks()
    expect(printed.map(([text, error]) => [text, String(error)])).toEqual([
      [expect.stringContaining('broken'), 'Error: load'],
    ])
  })
})

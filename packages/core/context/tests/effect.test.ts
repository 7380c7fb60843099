import { Context } from 'dsh-context'
import { describe, expect, it } from 'vitest'
import { createGate, drainMicrotasks, listenToErrors } from './kit.ts'

describe('Context.effect', () => {
  it('undoes in reverse order, one after the other (C3)', async () => {
    const ctx = new Context()
    const log: string[] = []
    for (const name of ['first', 'second', 'third']) {
      ctx.effect(() => async () => {
        log.push(`${name} begins`)
        await Promise.resolve()
        log.push(`${name} ends`)
      })
    }
    await ctx.dispose()
    expect(log).toEqual([
      'third begins',
      'third ends',
      'second begins',
      'second ends',
      'first begins',
      'first ends',
    ])
  })

  it('is undone at once if nothing needs waiting (C3)', () => {
    const ctx = new Context()
    let undone = false
    ctx.effect(() => () => {
      undone = true
    })
    void ctx.dispose()
    expect(undone).toBe(true)
  })

  it('runs every undo even if one fails, and throws the failures together (C3)', async () => {
    const ctx = new Context()
    const log: string[] = []
    ctx.effect(() => () => void log.push('first'))
    ctx.effect(() => () => {
      throw new Error('thrown')
    })
    ctx.effect(() => () => Promise.reject(new Error('rejected')))
    const error = await ctx.dispose().catch((reason: unknown) => reason)
    expect(log).toEqual(['first'])
    expect(error).toBeInstanceOf(AggregateError)
    expect(Object(error).errors.map(String)).toEqual(['Error: rejected', 'Error: thrown'])
  })

  it('gives a disposer that undoes once (C3)', async () => {
    const ctx = new Context()
    let undone = 0
    const dispose = ctx.effect(() => () => {
      undone += 1
    })
    void dispose()
    void dispose()
    await ctx.dispose()
    expect(undone).toBe(1)
  })

  it('is waited for by a disposal that finds its undo running (C3)', async () => {
    const ctx = new Context()
    const gate = createGate()
    const dispose = ctx.effect(() => () => gate.promise)
    const first = dispose()
    expect(dispose()).toBe(first)
    let isDisposed = false
    const disposal = ctx.dispose().then(() => {
      isDisposed = true
    })
    await drainMicrotasks()
    expect(isDisposed).toBe(false)
    gate.resolve()
    await disposal
    expect(isDisposed).toBe(true)
  })

  it('may call its own disposer from its undo (C3)', async () => {
    const ctx = new Context()
    let undone = 0
    const dispose = ctx.effect(() => async () => {
      undone += 1
      await dispose()
    })
    await ctx.dispose()
    expect(undone).toBe(1)
  })

  it('is refused while the plugin unloads, and its setup does not run (C3)', async () => {
    const ctx = new Context()
    let ran = false
    ctx.effect(() => () => {
      ctx.effect(() => {
        ran = true
        return () => {}
      })
    })
    const error = await ctx.dispose().catch((reason: unknown) => reason)
    expect(Object(error).errors).toEqual([expect.objectContaining({ code: 'CONTEXT_DISPOSED' })])
    expect(ran).toBe(false)
  })

  it('is undone and refused if its own setup ends the context (C3)', () => {
    const ctx = new Context()
    let undone = 0
    const setup = (): (() => void) => {
      void ctx.dispose()
      return () => {
        undone += 1
      }
    }
    expect(() => ctx.effect(setup)).toThrow(expect.objectContaining({ code: 'CONTEXT_DISPOSED' }))
    expect(undone).toBe(1)
  })

  it('registers nothing if its setup throws (C3)', async () => {
    const ctx = new Context()
    const heard = listenToErrors(ctx)
    expect(() =>
      ctx.effect(() => {
        throw new Error('setup')
      }),
    ).toThrow('setup')
    await ctx.dispose()
    expect(heard).toEqual([])
  })

  it('undoes across a service, a listener and a child plugin in one order (C3)', async () => {
    const ctx = new Context()
    const log: string[] = []
    await ctx.plugin((child: Context) => {
      child.effect(() => () => void log.push('a'))
      child.plugin((inner: Context) => void inner.effect(() => () => void log.push('b')))
      child.effect(() => () => void log.push('c'))
    })
    await ctx.dispose()
    expect(log).toEqual(['c', 'b', 'a'])
  })
})

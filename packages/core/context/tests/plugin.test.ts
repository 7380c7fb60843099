import type { StandardSchemaV1 } from '@standard-schema/spec'
import { Context } from 'dsh-context'
import { describe, expect, it } from 'vitest'
import { CounterService, createGate, drainMicrotasks, listenToErrors, OtherService } from './kit.ts'

interface Sized {
  readonly size: number
}

function createSchema(isAsync: boolean): StandardSchemaV1<{ size: string }, Sized> {
  const validate = (value: unknown): StandardSchemaV1.Result<Sized> => {
    const size = Number(Object(value).size)
    if (!Number.isNaN(size)) return { value: { size } }
    return {
      issues: [
        { message: 'not a number', path: ['size'] },
        { message: 'bad', path: ['list', { key: 0 }] },
      ],
    }
  }
  return {
    '~standard': {
      version: 1,
      vendor: 'fixture',
      validate: (value) => (isAsync ? Promise.resolve(validate(value)) : validate(value)),
    },
  }
}

describe('Context.plugin', () => {
  it('loads functions, objects and classes, and names them (C2)', async () => {
    const ctx = new Context()
    const named = ctx.plugin(function counting() {})
    expect([named.name, named.state]).toEqual(['counting', 'active'])
    expect(ctx.plugin({ name: 'object', apply() {} }).name).toBe('object')
    expect(ctx.plugin(CounterService).name).toBe('CounterService')
    expect(ctx.plugin(() => {}).name).toBe('anonymous')
    expect(await named).toBeUndefined()
  })

  it.each([false, true])('hands the parsed config to apply (asynchronous schema: %s) (C2)', async (isAsync) => {
    const seen: Sized[] = []
    const plugin = {
      name: 'sized',
      Config: createSchema(isAsync),
      apply: (_: Context, config: Sized) => void seen.push(config),
    }
    await new Context().plugin(plugin, { size: '3' })
    expect(seen).toEqual([{ size: 3 }])
  })

  it.each([false, true])(
    'fails with every issue of a bad config (asynchronous schema: %s) (C2)',
    async (isAsync) => {
      const ctx = new Context()
      const heard = listenToErrors(ctx)
      const plugin = { name: 'sized', inject: ['fixtureCounter'], Config: createSchema(isAsync), apply() {} }
      const fiber = ctx.plugin(plugin, { size: 'x' })
      await expect(fiber).rejects.toMatchObject({
        code: 'INVALID_CONFIG',
        message: expect.stringMatching(/size: not a number; list\.0: bad/),
      })
      expect(fiber.state).toBe('failed')
      expect(heard).toHaveLength(1)
    },
  )

  it('rejects the fiber and tells internal/error when loading fails, undoing what was done (C2)', async () => {
    const ctx = new Context()
    const heard = listenToErrors(ctx)
    const log: string[] = []
    const error = new Error('broken')
    const fiber = ctx.plugin(async function failing(child: Context) {
      child.effect(() => () => void log.push('undone'))
      await Promise.resolve()
      throw error
    })
    await expect(fiber).rejects.toBe(error)
    expect(heard).toEqual([['failing', error]])
    expect(log).toEqual(['undone'])
    await fiber.dispose()
    expect(fiber.state).toBe('disposed')
  })

  it('refuses something that is no plugin (C2)', () => {
    expect(() => Reflect.apply(new Context().plugin, new Context(), [{ name: 'x' }])).toThrow(
      'Could not load a plugin',
    )
  })

  it('waits for a service that comes later and says what is missing (C2)', async () => {
    const ctx = new Context()
    let started = 0
    const user = ctx.plugin({
      name: 'user',
      inject: ['fixtureCounter', 'fixtureOther'],
      apply: () => void started++,
    })
    await user
    expect([user.state, user.missing]).toEqual(['waiting', ['fixtureCounter', 'fixtureOther']])
    await ctx.plugin(OtherService)
    expect(user.missing).toEqual(['fixtureCounter'])
    await ctx.plugin(CounterService)
    expect([user.state, user.missing, started]).toEqual(['active', [], 1])
  })

  it('starts again with a fresh context when its service returns (C2)', async () => {
    const ctx = new Context()
    const contexts: Context[] = []
    const provider = ctx.plugin(CounterService)
    const user = ctx.plugin({
      name: 'user',
      inject: ['fixtureCounter'],
      apply: (child) => void contexts.push(child),
    })
    await provider.dispose()
    expect(user.state).toBe('waiting')
    await ctx.plugin(CounterService)
    await user
    expect(user.state).toBe('active')
    expect(contexts).toHaveLength(2)
    expect(() => contexts[0]?.effect(() => () => {})).toThrow(
      expect.objectContaining({ code: 'CONTEXT_DISPOSED' }),
    )
    await contexts[0]?.dispose()
    expect(user.state).toBe('active')
  })

  it('disposes and awaits the dependents before a service is withdrawn (C2)', async () => {
    const ctx = new Context()
    const gate = createGate()
    const log: string[] = []
    class Closing extends CounterService {
      override start(): void {
        this.ctx.effect(() => () => void log.push('service closed'))
      }
    }
    const provider = ctx.plugin(Closing)
    ctx.plugin({
      name: 'user',
      inject: ['fixtureCounter'],
      apply(child) {
        child.effect(() => async () => {
          await gate.promise
          log.push(`user undone, service still there: ${child.get('fixtureCounter') !== undefined}`)
        })
      },
    })
    const disposal = provider.dispose()
    await drainMicrotasks()
    expect(log).toEqual([])
    gate.resolve()
    await disposal
    expect(log).toEqual(['user undone, service still there: true', 'service closed'])
  })

  it('withdraws a service at once when its last user is already gone (C2)', async () => {
    const ctx = new Context()
    const provider = ctx.plugin(CounterService)
    const user = ctx.plugin({ name: 'user', inject: ['fixtureCounter'], apply() {} })
    await user.dispose()
    const disposal = provider.dispose()
    expect(ctx.get('fixtureCounter')).toBeUndefined()
    await disposal
  })

  it('leaves two plugins that need each other waiting, and says so (C2)', async () => {
    const ctx = new Context()
    class First extends CounterService {
      static readonly inject = ['fixtureOther']
    }
    class Second extends OtherService {
      static readonly inject = ['fixtureCounter']
    }
    const fibers = [ctx.plugin(First), ctx.plugin(Second)]
    for (const fiber of fibers) await fiber
    expect(fibers.map((fiber) => [fiber.state, fiber.missing])).toEqual([
      ['waiting', ['fixtureOther']],
      ['waiting', ['fixtureCounter']],
    ])
    await ctx.dispose()
  })

  it('passes a withdrawal on along a chain of services (C2)', async () => {
    const ctx = new Context()
    class Middle extends OtherService {
      static readonly inject = ['fixtureCounter']
    }
    const end = ctx.plugin({ name: 'end', inject: ['fixtureOther'], apply() {} })
    const middle = ctx.plugin(Middle)
    const base = ctx.plugin(CounterService)
    expect([end.state, middle.state]).toEqual(['active', 'active'])
    await base.dispose()
    expect([end.state, middle.state, end.missing]).toEqual(['waiting', 'waiting', ['fixtureOther']])
    await ctx.plugin(CounterService)
    await drainMicrotasks()
    expect([end.state, middle.state]).toEqual(['active', 'active'])
  })

  it('stays failed while its services are the same, and tries again with new ones (C2)', async () => {
    const ctx = new Context()
    listenToErrors(ctx)
    let attempts = 0
    const provider = ctx.plugin(CounterService)
    const user = ctx.plugin({
      name: 'user',
      inject: ['fixtureCounter'],
      apply() {
        attempts += 1
        if (attempts === 1) throw new Error('first time')
      },
    })
    await expect(user).rejects.toThrow('first time')
    await ctx.plugin(OtherService)
    expect([attempts, user.state]).toEqual([1, 'failed'])
    await provider.dispose()
    await ctx.plugin(CounterService)
    await user
    expect([attempts, user.state]).toEqual([2, 'active'])
  })

  it('gives up a load whose service goes meanwhile, without a report of the refusal (C2)', async () => {
    const ctx = new Context()
    const heard = listenToErrors(ctx)
    const gate = createGate()
    const provider = ctx.plugin(CounterService)
    const user = ctx.plugin({
      name: 'user',
      inject: ['fixtureCounter'],
      async apply(child) {
        await gate.promise
        child.effect(() => () => {})
      },
    })
    await provider.dispose()
    gate.resolve()
    await user
    await drainMicrotasks()
    expect(user.state).toBe('waiting')
    expect(heard).toEqual([])
  })
})

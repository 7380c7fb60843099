import { Context } from 'dsh-context'
import { describe, expect, it } from 'vitest'
import { CounterService, createGate, drainMicrotasks, OtherService } from './kit.ts'

describe('Context.extend', () => {
  it('inherits services, and shadows them with its own (C6)', async () => {
    const ctx = new Context()
    await ctx.plugin(CounterService)
    const child = ctx.extend()
    expect(child.fixtureCounter.names).toBe(ctx.fixtureCounter.names)
    const own = child.plugin(CounterService)
    expect(child.fixtureCounter.names).not.toBe(ctx.fixtureCounter.names)
    await own.dispose()
    expect(child.fixtureCounter.names).toBe(ctx.fixtureCounter.names)
  })

  it('keeps its services from its parent and its siblings (C6)', async () => {
    const ctx = new Context()
    const [left, right] = [ctx.extend(), ctx.extend()]
    await left.plugin(OtherService)
    expect(left.fixtureOther).toBeInstanceOf(OtherService)
    expect([ctx.get('fixtureOther'), right.get('fixtureOther')]).toEqual([undefined, undefined])
  })

  it('stops a plugin before the nearer service it uses goes, and starts it with the farther one (C2, C6)', async () => {
    const ctx = new Context()
    const child = ctx.extend()
    await ctx.plugin(CounterService)
    const shadow = child.plugin(CounterService)
    const [far, near] = [ctx.fixtureCounter.names, child.fixtureCounter.names]
    const used: unknown[] = []
    const user = child.plugin({
      name: 'user',
      inject: ['fixtureCounter'],
      apply: (context) => void used.push(context.fixtureCounter.names),
    })
    await shadow.dispose()
    await user
    expect(used).toEqual([near, far])
    expect([used[0] === near, used[1] === far]).toEqual([true, true])
    expect(user.state).toBe('active')
  })

  it('leaves a running plugin alone when a nearer service appears (C2, C6)', async () => {
    const ctx = new Context()
    const child = ctx.extend()
    await ctx.plugin(CounterService)
    let starts = 0
    const user = child.plugin({ name: 'user', inject: ['fixtureCounter'], apply: () => void starts++ })
    await child.plugin(CounterService)
    expect([starts, user.state]).toEqual([1, 'active'])
  })

  it('leaves alone a plugin that runs with another service by the time its turn to stop comes (C2, C6)', async () => {
    const ctx = new Context()
    const [child, gate] = [ctx.extend(), createGate()]
    const far = ctx.plugin(CounterService)
    const other = child.plugin(OtherService)
    let starts = 0
    const inject = ['fixtureCounter', 'fixtureOther']
    const user = child.plugin({ name: 'user', inject, apply: () => void starts++ })
    const apply = (context: Context): void => void context.effect(() => () => gate.promise)
    ctx.plugin({ name: 'slow', inject: ['fixtureCounter'], apply })
    const disposal = far.dispose()
    await other.dispose()
    await child.plugin(CounterService)
    await child.plugin(OtherService)
    expect([starts, user.state]).toEqual([2, 'active'])
    gate.resolve()
    await disposal
    expect([starts, user.state]).toEqual([2, 'active'])
  })

  it('lets a plugin wrap an inherited service under its own key (C6)', async () => {
    class Wrapper extends CounterService {
      static readonly inject = ['fixtureCounter']
    }
    const ctx = new Context()
    const base = ctx.plugin(CounterService)
    const child = ctx.extend()
    const wrapper = child.plugin(Wrapper)
    await wrapper
    expect(child.fixtureCounter).toBeInstanceOf(Wrapper)
    await base.dispose()
    expect([wrapper.state, wrapper.missing]).toEqual(['waiting', ['fixtureCounter']])
    expect(child.get('fixtureCounter')).toBeUndefined()
  })

  it('does not open a scope for a plugin: what it provides is seen where it was loaded (C6)', async () => {
    const ctx = new Context()
    await ctx.plugin((child: Context) => void child.plugin(CounterService))
    expect(ctx.fixtureCounter).toBeInstanceOf(CounterService)
  })

  it('hears dispatches made in its scope and below, not above or beside (C6)', () => {
    const ctx = new Context()
    const child = ctx.extend()
    const [grandchild, sibling] = [child.extend(), ctx.extend()]
    const heard: string[] = []
    child.on('fixture/told', (text) => heard.push(text))
    for (const [name, context] of Object.entries({ ctx, child, grandchild, sibling }))
      context.emit('fixture/told', name)
    expect(heard).toEqual(['child', 'grandchild'])
  })

  it('orders listeners of all its scopes by priority and then by age, also after changes above (C4, C6)', () => {
    const ctx = new Context()
    const child = ctx.extend()
    const heard: string[] = []
    child.on('fixture/told', () => heard.push('child'))
    ctx.on('fixture/told', () => heard.push('root later'))
    child.on('fixture/told', () => heard.push('child first'), { priority: 1 })
    child.emit('fixture/told', 'x')
    const off = ctx.on('fixture/told', () => heard.push('root prepended'), { prepend: true })
    child.emit('fixture/told', 'x')
    void off()
    child.emit('fixture/told', 'x')
    const usual = ['child first', 'child', 'root later']
    expect(heard).toEqual([...usual, 'child first', 'root prepended', 'child', 'root later', ...usual])
  })

  it('is disposed with its parent, and alone without it (C6)', async () => {
    const ctx = new Context()
    const log: string[] = []
    const [first, second] = [ctx.extend(), ctx.extend()]
    first.effect(() => () => void log.push('first'))
    second.effect(() => () => void log.push('second'))
    await second.dispose()
    await second.dispose()
    expect(log).toEqual(['second'])
    expect(() => second.extend()).toThrow(expect.objectContaining({ code: 'CONTEXT_DISPOSED' }))
    await ctx.dispose()
    expect(log).toEqual(['second', 'first'])
  })

  it('starts a waiting plugin of a child scope when the parent gets the service (C2, C6)', async () => {
    const ctx = new Context()
    const user = ctx.extend().plugin({ name: 'user', inject: ['fixtureCounter'], apply() {} })
    expect(user.state).toBe('waiting')
    ctx.plugin(CounterService)
    await drainMicrotasks()
    expect(user.state).toBe('active')
  })
})

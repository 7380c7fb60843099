import type { StandardSchemaV1 } from '@standard-schema/spec'
import { type Context, type Plugin, type PluginObject, Service, type WaterfallFrame } from 'dsh-context'
import { describe, expectTypeOf, it } from 'vitest'
import { type CounterService, OtherService } from './kit.ts'

declare const schema: StandardSchemaV1<{ url: string; retries?: number }, { url: URL; retries: number }>
declare const ctx: Context

class Configured extends Service {
  static readonly Config = schema

  constructor(context: Context, config: { url: URL; retries: number }) {
    super(context, 'fixtureConfigured')
    expectTypeOf(config.url).toEqualTypeOf<URL>()
  }
}

describe('Context, merged from outside', () => {
  it('has the services other packages declare (C1)', () => {
    expectTypeOf(ctx.fixtureCounter).toEqualTypeOf<CounterService>()
    expectTypeOf(ctx.get('fixtureCounter')).toEqualTypeOf<CounterService | undefined>()
    // @ts-expect-error nobody declares this one
    void ctx.fixtureUnknown
    // @ts-expect-error a member of Context is no service
    ctx.get('plugin')
  })
})

describe('Context.plugin', () => {
  it('takes no config where the plugin takes none (C2)', () => {
    ctx.plugin(OtherService)
    ctx.plugin(() => {})
    ctx.plugin({ name: 'plain', apply() {} })
    // @ts-expect-error no config
    ctx.plugin(OtherService, { url: 'x' })
    // @ts-expect-error no config
    ctx.plugin((context: Context) => void context, 1)
  })

  it('requires the config a plain plugin names (C2)', () => {
    const plugin = (context: Context, config: { size: number }): void => void [context, config]
    ctx.plugin(plugin, { size: 1 })
    // @ts-expect-error missing
    ctx.plugin(plugin)
    // @ts-expect-error wrong type
    ctx.plugin(plugin, { size: '1' })
    const optional = (context: Context, config?: { size: number }): void => void [context, config]
    ctx.plugin(optional)
    ctx.plugin(optional, { size: 1 })
    // @ts-expect-error wrong type
    ctx.plugin(optional, { size: '1' })
  })

  it('takes what the schema takes and applies what it gives (C2)', () => {
    ctx.plugin(
      {
        name: 'inline',
        Config: schema,
        apply(context, config) {
          expectTypeOf(context).toEqualTypeOf<Context>()
          expectTypeOf(config).toEqualTypeOf<{ url: URL; retries: number }>()
        },
      },
      { url: 'https://example.org' },
    )
    ctx.plugin(Configured, { url: 'https://example.org' })
    // @ts-expect-error the output type is not the input type
    ctx.plugin(Configured, { url: new URL('https://example.org'), retries: 1 })
    // @ts-expect-error missing
    ctx.plugin(Configured)
  })

  it('accepts a plugin that was declared by its type (C2)', () => {
    const declared: PluginObject<{ url: string; retries?: number }, { url: URL; retries: number }> = {
      name: 'declared',
      Config: schema,
      apply(_context, config) {
        expectTypeOf(config.retries).toEqualTypeOf<number>()
      },
    }
    ctx.plugin(declared, { url: 'x' })
    // @ts-expect-error wrong type
    ctx.plugin(declared, { url: 1 })
    const bare: Plugin = declared.apply.length > 0 ? OtherService : { name: 'bare', apply() {} }
    ctx.plugin(bare)
  })

  it('gives a fiber that resolves to nothing (C2)', async () => {
    expectTypeOf(await ctx.plugin(OtherService)).toEqualTypeOf<void>()
  })
})

describe('Context.emit and Context.on', () => {
  it('know the arguments of an observer event (C4)', () => {
    ctx.emit('fixture/told', 'text')
    ctx.on('fixture/told', (text) => expectTypeOf(text).toEqualTypeOf<string>())
    ctx.on('fixture/told', async () => {})
    ctx.once('internal/error', (error, origin) => {
      expectTypeOf(error).toEqualTypeOf<unknown>()
      expectTypeOf(origin.plugin).toEqualTypeOf<string>()
    })
    // @ts-expect-error wrong argument
    ctx.emit('fixture/told', 1)
    // @ts-expect-error a waterfall is not emitted
    ctx.emit('fixture/sum', 1)
    // @ts-expect-error nobody declares this one
    ctx.on('fixture/unknown', () => {})
  })
})

describe('Context.waterfall', () => {
  it('gives the listener next() with and without replacement (C5)', () => {
    ctx.on('fixture/sum', (value, next) => {
      expectTypeOf(value).toEqualTypeOf<number>()
      expectTypeOf(next()).toEqualTypeOf<number>()
      return next(value + 1)
    })
    ctx.on('fixture/sum', async (value) => value)
    // @ts-expect-error wrong replacement
    ctx.on('fixture/sum', (_value, next) => next('text'))
    // @ts-expect-error returns nothing
    ctx.on('fixture/sum', () => {})
  })

  it('gives the result and passes frames to seal (C5)', () => {
    const seal = (result: number | Promise<number>, frame: WaterfallFrame): number =>
      typeof result === 'number' ? result : frame.plugin.length
    expectTypeOf(ctx.waterfall('fixture/sum', [1], (value) => value + 1, { seal })).toEqualTypeOf<number>()
    expectTypeOf(ctx.waterfall('fixture/later', [1], async (value) => value)).toEqualTypeOf<Promise<number>>()
    // @ts-expect-error wrong terminal
    ctx.waterfall('fixture/sum', [1], () => 'text')
    // @ts-expect-error an observer event has no waterfall
    ctx.waterfall('fixture/told', ['text'], () => {})
  })
})

import type {
  ConfigArguments,
  Context,
  Fiber,
  Plugin,
  PluginClass,
  PluginFunction,
  PluginObject,
} from 'dsh-context'
import { describe, it } from 'vitest'
import { OtherService } from './kit.ts'

type Load = (ctx: Context) => Fiber

/** Pairs a plugin with its config for later, as packages above this one do (L12). */
function use<Output = void, Input = Output>(
  plugin: PluginFunction<Input, Output> | PluginClass<Input, Output>,
  ...config: ConfigArguments<NoInfer<Input>>
): Load
function use<Output = void, Input = Output>(
  plugin: PluginObject<Input, Output>,
  ...config: ConfigArguments<NoInfer<Input>>
): Load
function use<Input, Output>(plugin: Plugin<Input, Output>, ...config: readonly unknown[]): Load {
  return (ctx) => Reflect.apply(ctx.plugin, ctx, [plugin, ...config])
}

describe('ConfigArguments', () => {
  it('lets a wrapper of ctx.plugin check configs as strictly as ctx.plugin does (L12)', () => {
    const sized: PluginObject<{ size: number }> = { name: 'sized', apply() {} }
    use(sized, { size: 1 })
    use(OtherService)
    use((ctx: Context, config: string) => void [ctx, config], 'text')
    // @ts-expect-error wrong type
    use(sized, { size: '1' })
    // @ts-expect-error missing
    use(sized)
    // @ts-expect-error takes none
    use(OtherService, 1)
  })
})

import {
  type ConfigArguments,
  Context,
  type Fiber,
  HarnessError,
  type Plugin,
  type PluginClass,
  type PluginFunction,
  type PluginObject,
} from 'dsh-context'
import { LlmRuntime, type LlmRuntimeConfig } from './runtime.ts'

/** A plugin with its config, checked against each other. */
export interface PluginUse {
  load(ctx: Context): Fiber
}

/** Pairs a plugin with its config for `createLlm`; a config of the wrong type does not compile. */
export function use<Output = void, Input = Output>(
  plugin: PluginFunction<Input, Output> | PluginClass<Input, Output>,
  ...config: ConfigArguments<NoInfer<Input>>
): PluginUse
export function use<Output = void, Input = Output>(
  plugin: PluginObject<Input, Output>,
  ...config: ConfigArguments<NoInfer<Input>>
): PluginUse
export function use<Input, Output>(plugin: Plugin<Input, Output>, ...config: ConfigArguments<Input>): PluginUse {
  return { load: (ctx) => (typeof plugin === 'function' ? ctx.plugin(plugin, ...config) : ctx.plugin(plugin, ...config)) }
}

export interface CreateLlmOptions {
  /** Loaded in this order, after the runtime; a plugin without config may stand for itself. */
  readonly plugins?: readonly (PluginUse | Plugin)[] | undefined
  readonly runtime?: LlmRuntimeConfig | undefined
}

/** A runtime with its plugins; `dispose` unloads everything and waits for the clean-up. */
export interface Llm extends AsyncDisposable {
  readonly llm: LlmRuntime
  readonly ctx: Context
  dispose(): Promise<void>
}

/**
 * Makes a context, loads the runtime and the plugins. Rejects with what a plugin failed with, or with
 * `SERVICE_NOT_FOUND` if one still waits for a service; whatever was loaded is disposed of by then.
 */
export async function createLlm({ plugins = [], runtime = {} }: CreateLlmOptions = {}): Promise<Llm> {
  const ctx = new Context()
  try {
    await ctx.plugin(LlmRuntime, runtime)
    const fibers = plugins.map((plugin) => ('load' in plugin ? plugin.load(ctx) : ctx.plugin(plugin)))
    for (const fiber of fibers) await fiber
    for (const fiber of fibers) assertNothingMissing(fiber)
  } catch (error) {
    await ctx.dispose()
    throw error
  }
  const dispose = (): Promise<void> => ctx.dispose()
  return { llm: ctx.llm, ctx, dispose, [Symbol.asyncDispose]: dispose }
}

function assertNothingMissing({ name, missing }: Fiber): void {
  if (missing.length === 0) return
  const advice = 'add the plugin that provides it to `plugins`'
  throw new HarnessError(`Plugin "${name}" still waits for ${missing.join(', ')}; ${advice}`, 'SERVICE_NOT_FOUND')
}

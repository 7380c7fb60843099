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
import { LlmRuntime } from './runtime.ts'
import type { LlmRuntimeConfig } from './runtime-config.ts'

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
export function use<Input, Output>(
  plugin: Plugin<Input, Output>,
  ...config: ConfigArguments<Input>
): PluginUse {
  return {
    load: (ctx) =>
      typeof plugin === 'function' ? ctx.plugin(plugin, ...config) : ctx.plugin(plugin, ...config),
  }
}

export interface CreateLlmOptions {
  /** Loaded in this order, after the runtime; a plugin that takes no config at all may stand for itself. */
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
  const faults: LoadFault[] = []
  const unwatch = ctx.on('internal/error', (error, { plugin }) => void faults.push({ error, plugin }))
  try {
    await ctx.plugin(LlmRuntime, runtime)
    const fibers = plugins.map((plugin) => (isUse(plugin) ? plugin.load(ctx) : ctx.plugin(plugin)))
    await settle(fibers)
    for (const fiber of fibers) assertNothingMissing(fiber)
  } catch (error) {
    // What failed first is what the caller must know.
    await ctx.dispose().catch((failure: unknown) => ctx.reportError(failure, 'createLlm'))
    announceOthers(faults, error)
    throw error
  }
  await unwatch()
  announceOthers(faults, undefined)
  const dispose = (): Promise<void> => ctx.dispose()
  return { llm: ctx.llm, ctx, dispose, [Symbol.asyncDispose]: dispose }
}

interface LoadFault {
  readonly error: unknown
  readonly plugin: string
}

/** While loading nobody else can hear `internal/error`; what is thrown is told by that, the rest on the console. */
function announceOthers(faults: readonly LoadFault[], thrown: unknown): void {
  for (const { error, plugin } of faults)
    if (error !== thrown) console.error(`Plugin "${plugin}" failed:`, error)
}

/** A plugin object may have a method of that name, too. */
function isUse(plugin: PluginUse | Plugin): plugin is PluginUse {
  return typeof plugin === 'object' && 'load' in plugin && !('apply' in plugin)
}

/** Waits for all, and again for those that the service of another one has started meanwhile. */
async function settle(fibers: readonly Fiber[]): Promise<void> {
  for (const fiber of fibers) await fiber
  if (!fibers.every(isSettled)) await settle(fibers)
}

/** One that has failed since it was waited for must be waited for again: that rejects. */
function isSettled({ state }: Fiber): boolean {
  return state === 'active' || state === 'waiting' || state === 'disposed'
}

function assertNothingMissing({ name, missing }: Fiber): void {
  if (missing.length === 0) return
  const advice = 'add the plugin that provides it to `plugins`'
  throw new HarnessError(
    `Plugin "${name}" still waits for ${missing.join(', ')}; ${advice}`,
    'SERVICE_NOT_FOUND',
  )
}

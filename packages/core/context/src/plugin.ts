import type { StandardSchemaV1 } from '@standard-schema/spec'
import type { Context } from './context.ts'
import { HarnessError } from './harness-error.ts'
import { Service } from './service.ts'

/** What every form of plugin may carry. `Input` is what the loader is given, `Output` what the schema makes of it. */
export interface PluginTraits<Input = void, Output = Input> {
  /** Service keys it needs: it starts when all are there, stops when one goes, starts again when it returns. */
  readonly inject?: readonly string[] | undefined
  /** Any Standard Schema. Without one the config is passed on as it is. */
  readonly Config?: StandardSchemaV1<Input, Output> | undefined
}

/** A plugin as an object. Everything registered through the `ctx` it gets ends with it. */
export interface PluginObject<Input = void, Output = Input> extends PluginTraits<Input, Output> {
  readonly name: string
  /** Keeps functions out: they too have a `name` and an `apply`, which takes anything. */
  readonly bind?: undefined
  apply(ctx: Context, config: Output): void | Promise<void>
}

/** A plugin as a function; its own name is the plugin's. */
export interface PluginFunction<Input = void, Output = Input> extends PluginTraits<Input, Output> {
  (ctx: Context, config: Output): void | Promise<void>
}

/** A `Service` subclass as a plugin. `provides` makes the key known, so that reading it early names what is missing. */
export interface PluginClass<Input = void, Output = Input> extends PluginTraits<Input, Output> {
  new (ctx: Context, config: Output): Service
  readonly provides?: string | undefined
}

/** Whatever `ctx.plugin` loads. */
export type Plugin<Input = void, Output = Input> =
  | PluginObject<Input, Output>
  | PluginFunction<Input, Output>
  | PluginClass<Input, Output>

/** None for a plugin without config, optional if `undefined` is a valid config, required otherwise. */
export type ConfigArguments<Input> = [Input] extends [void]
  ? []
  : undefined extends Input
    ? [config?: Input]
    : [config: Input]

/** One shape for the three forms of plugin, with the config type erased. */
export interface ParsedPlugin {
  readonly name: string
  readonly inject: readonly string[]
  readonly provides: string | undefined
  readonly schema: StandardSchemaV1 | undefined
  readonly load: (ctx: Context, config: unknown) => unknown
}

export function parsePlugin<Input, Output>(plugin: Plugin<Input, Output>): ParsedPlugin {
  return {
    load: toLoader(plugin),
    name: plugin.name || 'anonymous',
    inject: [...new Set(plugin.inject)],
    provides: 'provides' in plugin ? plugin.provides : undefined,
    schema: plugin.Config,
  }
}

function toLoader<Input, Output>(plugin: Plugin<Input, Output>): ParsedPlugin['load'] {
  if (isServiceClass(plugin)) return (ctx, config) => void Reflect.construct(plugin, [ctx, config])
  const apply: unknown = typeof plugin === 'function' ? plugin : plugin?.apply
  if (typeof apply === 'function') return (ctx, config) => Reflect.apply(apply, plugin, [ctx, config])
  const expected = 'pass a Service subclass, a function or an object with apply(ctx, config)'
  throw new HarnessError(`Could not load a plugin: got ${typeof plugin}; ${expected}`, 'INVALID_CONFIG')
}

function isServiceClass(plugin: unknown): plugin is PluginClass<never> {
  return typeof plugin === 'function' && plugin.prototype instanceof Service
}

export { Context, type ServiceName } from './context.ts'
export type { Events, ListenerOptions, Waterfall, WaterfallFrame } from './events.ts'
export type { Fiber } from './fiber.ts'
export { HarnessError, type HarnessErrorOptions, isHarnessError } from './harness-error.ts'
export type { Disposer } from './lifetime.ts'
export type {
  ConfigArguments,
  Plugin,
  PluginClass,
  PluginFunction,
  PluginObject,
  PluginTraits,
} from './plugin.ts'
export { Service } from './service.ts'
export type { Undo } from './undo-all.ts'

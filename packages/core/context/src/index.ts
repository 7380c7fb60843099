export { Context, type ServiceName } from './context.ts'
export type {
  ErrorOrigin,
  EventName,
  Events,
  Listener,
  ListenerOptions,
  ObserverArguments,
  ObserverName,
  Waterfall,
  WaterfallArguments,
  WaterfallCall,
  WaterfallFrame,
  WaterfallName,
  WaterfallOptions,
  WaterfallResult,
} from './events.ts'
export type { Fiber, FiberState } from './fiber.ts'
export { HarnessError, type HarnessErrorOptions, isHarnessError } from './harness-error.ts'
export type { Disposer, Undo } from './lifetime.ts'
export type {
  ConfigArguments,
  Plugin,
  PluginClass,
  PluginFunction,
  PluginObject,
  PluginTraits,
} from './plugin.ts'
export { Service } from './service.ts'

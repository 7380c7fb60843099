import type { PluginObject } from 'dsh-context'
import { PiAiAdapter } from './adapter.ts'
import { configSchema, type PiAiConfig } from './config.ts'
import { PiAiRoute, type PiAiProviderConfig } from './route.ts'

export { PiAiAdapter, type PiAiAdapterOptions } from './adapter.ts'
export type { PiAiConfig } from './config.ts'
export type { DeclaredPiModel } from './models.ts'
export type { ApiName } from './api-names.ts'
export type { PiAiOptions } from './provider-options.ts'
export { knownProviders, type KnownProvider } from './providers.ts'
export type { PiAiProviderConfig } from './route.ts'

/** Registers the routes of the config; those that speak the same APIs share an adapter, and so their replay state. */
const piAi: PluginObject<PiAiConfig> = {
  name: 'pi-ai',
  inject: ['llm'],
  Config: configSchema,
  apply(ctx, { providers }) {
    const { identity, clock } = ctx.llm
    const complete = Object.entries(providers).map(([route, config]): [string, PiAiProviderConfig] => [
      route,
      { identity, clock, ...config },
    ])
    const groups = Map.groupBy(complete, ([route, config]) => new PiAiRoute(route, config).apis.join())
    for (const group of groups.values()) {
      const adapter = new PiAiAdapter({ providers: Object.fromEntries(group) })
      ctx.llm.registerAdapter(
        group.map(([route]) => route),
        adapter,
      )
    }
  },
}

export default piAi

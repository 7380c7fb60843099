import type { PluginObject } from 'dsh-context'
import { rerunStream, StreamPriority } from 'dsh-llm'
import { Alternatives, fallbacksFor } from './alternatives.ts'
import { configSchema, type RouteConfig } from './config.ts'
import { RouteCall } from './route-call.ts'

export type { Fallback, Route, RouteConfig } from './config.ts'

/** Asks other routes in order when one fails. A call that no fallback concerns passes untouched. */
const route: PluginObject<RouteConfig> = {
  name: 'route',
  inject: ['llm'],
  Config: configSchema,
  apply(ctx, { fallbacks, until = 'first-content' }) {
    const options = { priority: StreamPriority.route }
    ctx.on(
      'llm/stream',
      (request, next) => {
        const own = fallbacksFor(request, fallbacks)
        if (own.length === 0) return next()
        const alternatives = new Alternatives(own, request, ctx.llm)
        const call = new RouteCall({ alternatives, request, next })
        return rerunStream(next(), { until, judge: (failed) => call.judge(failed) })
      },
      options,
    )
  },
}

export default route

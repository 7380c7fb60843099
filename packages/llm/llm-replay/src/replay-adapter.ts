import type { Context } from 'dsh-context'
import { type AdapterRequest, ALL_OPTIONS, LlmAdapter, type OptionName, type StreamChunk } from 'dsh-llm'
import type { Player } from './player.ts'

/** Stands in for the adapters of a recording, so that its routes exist when none of them is loaded. */
export class ReplayAdapter extends LlmAdapter {
  override readonly options: ReadonlySet<OptionName> = ALL_OPTIONS
  override readonly givesWay: boolean = true
  readonly #player: Player

  constructor(player: Player) {
    super()
    this.#player = player
  }

  /** Reached only by calls that pass the plugin's listener by, such as those of a scope further out. */
  stream(request: AdapterRequest): AsyncIterable<StreamChunk> {
    return this.#player.play(request)
  }
}

/** Gives the routes that nobody else owns to the adapter, now and whenever routes come or go. */
export function standIn(ctx: Context, routes: ReadonlySet<string>, adapter: ReplayAdapter): void {
  const { registry } = ctx.llm
  const freeRoutes = (): readonly string[] =>
    [...routes].filter((route) => {
      const owner = registry.owner(route)
      return owner === undefined || owner === adapter
    })
  const handle = ctx.llm.registerAdapter(freeRoutes(), adapter)
  ctx.on('llm/adapters-updated', () => {
    if ([...routes].some((route) => registry.owner(route) === undefined)) handle.replace(freeRoutes())
  })
}

import type { Context, WaterfallFrame } from 'dsh-context'
import type { AdapterRegistry, Registration } from './adapter-registry.ts'
import { AdapterRun } from './adapter-run.ts'
import { assertEffort, assertSupported, hasEffortToCheck } from './check-request.ts'
import type { Clock } from './clock.ts'
import type { Dispatch, RunHost } from './dispatch.ts'
import { InFlight } from './in-flight.ts'
import { checkedRequestMessages } from './message-memo.ts'
import { filterReplayState } from './replay-state.ts'
import { admitRequest, markAdmitted } from './request.ts'
import { seal } from './seal.ts'
import { StreamCall } from './stream-call.ts'
import type { GenerateOptions, StreamChunk } from './types.ts'
import { unloadFailure } from './unload-failure.ts'

export interface CallStarterOptions {
  readonly registry: AdapterRegistry
  readonly clock: Clock
  readonly drainMs: number
  readonly cleanupMs: number
}

/** Starts calls, and knows those in flight by the plugins that an unload would take from under them (L8). */
export class CallStarter {
  readonly #options: CallStarterOptions
  readonly #all = new InFlight<StreamCall>()
  /** Calls that entered a listener, by the context it was registered through. */
  readonly #entered = new WeakMap<Context, InFlight<StreamCall>>()

  constructor(options: CallStarterOptions) {
    this.#options = options
  }

  /** Makes a call that dispatches through `ctx` at its first pull. A request nobody could take skips the listeners. */
  start(ctx: Context, options: GenerateOptions): StreamCall {
    const { clock, cleanupMs } = this.#options
    try {
      const request = admitRequest(options)
      return new StreamCall({ clock, cleanupMs, open: (call) => this.#open(ctx, call) }, request)
    } catch (error) {
      const open = (call: StreamCall): AdapterRun => this.#run(ctx, call, options, () => throwError(error))
      return new StreamCall({ clock, cleanupMs, open }, { provider: '', model: '', messages: [] })
    }
  }

  /** Waits for every call, at most `drainMs`, then ends what still runs. */
  drainAll(plugin: string): Promise<void> {
    return this.#all.drain(this.#drainOptions(plugin))
  }

  /** Waits for the runs of a registration, as `drainAll` does for all calls. */
  drainRuns({ runs, plugin }: Registration): Promise<void> {
    return runs.drain(this.#drainOptions(plugin))
  }

  #open(ctx: Context, call: StreamCall): AsyncIterable<StreamChunk> {
    call.join(this.#all)
    const terminal = (request: GenerateOptions): AdapterRun => this.#run(ctx, call, request)
    return ctx.waterfall('llm/stream', [call.request], terminal, {
      seal: (result, frame) => {
        this.#enter(frame, call)
        return seal(result, frame.plugin, (error) => ctx.reportError(error, frame.plugin))
      },
    })
  }

  #enter({ context, plugin }: WaterfallFrame, call: StreamCall): void {
    let calls = this.#entered.get(context)
    if (calls === undefined) {
      const entered = new InFlight<StreamCall>()
      context.effect(() => () => entered.drain(this.#drainOptions(plugin)))
      this.#entered.set(context, entered)
      calls = entered
    }
    call.join(calls)
  }

  #run(ctx: Context, call: StreamCall, request: GenerateOptions, admit: RunHost['admit'] = admitRequest): AdapterRun {
    const { clock, cleanupMs } = this.#options
    const run: AdapterRun = new AdapterRun(
      {
        clock,
        cleanupMs,
        admit,
        dispatch: (admitted, signal) => this.#dispatch(admitted, signal),
        onEnd: (ended) => call.release(ended),
        reportError: (error, plugin) => ctx.reportError(error, plugin),
      },
      request,
    )
    call.adopt(run)
    return run
  }

  #dispatch(request: GenerateOptions, signal: AbortSignal): Dispatch | Promise<Dispatch> {
    const { registry } = this.#options
    const registration = registry.find(request.provider)
    const { adapter, plugin, runs } = registration
    assertSupported(request, registration)
    const checked = checkedRequestMessages(request.messages)
    const messages = filterReplayState(checked, (provider) => registry.owner(provider) === adapter)
    const dispatch = { adapter, plugin, runs, request: markAdmitted({ ...request, messages, signal }) }
    if (!hasEffortToCheck(request, adapter)) return dispatch
    return this.#checkEffort(dispatch, signal)
  }

  async #checkEffort(dispatch: Dispatch, signal: AbortSignal): Promise<Dispatch> {
    await assertEffort(dispatch.request, dispatch.adapter, signal)
    const { adapter } = this.#options.registry.find(dispatch.request.provider)
    // The route may have changed hands while the model was looked up.
    return adapter === dispatch.adapter ? dispatch : this.#dispatch(dispatch.request, signal)
  }

  #drainOptions(plugin: string): Parameters<InFlight<StreamCall>['drain']>[0] {
    const { clock, drainMs } = this.#options
    return { clock, drainMs, failure: unloadFailure(plugin) }
  }
}

function throwError(error: unknown): never {
  throw error
}

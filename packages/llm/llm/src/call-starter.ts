import type { Context, WaterfallFrame } from 'dsh-context'
import type { AdapterRegistry, Registration } from './adapter-registry.ts'
import { AdapterRun } from './adapter-run.ts'
import { assertEffort, assertSupported, hasEffortToCheck } from './check-request.ts'
import type { ChunkIterator } from './chunk-iterator.ts'
import type { Clock } from './clock.ts'
import type { Dispatch, RunHost } from './dispatch.ts'
import { ErrorReporter } from './error-reporter.ts'
import { InFlight } from './in-flight.ts'
import { checkedRequestMessages } from './message-memo.ts'
import { filterReplayState } from './replay-state.ts'
import { admitRequest, markAdmitted } from './request.ts'
import { seal } from './seal.ts'
import { StreamCall } from './stream-call.ts'
import type { GenerateOptions } from './types.ts'
import { unloadFailure } from './unload-failure.ts'

export interface CallStarterOptions {
  readonly registry: AdapterRegistry
  readonly clock: Clock
  readonly drainMs: number
  readonly cleanupMs: number
}

interface RunStart {
  readonly request: GenerateOptions
  readonly admit?: RunHost['admit']
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
      const open = (call: StreamCall): AdapterRun =>
        this.#run(ctx, call, { request: options, admit: () => throwError(error) })
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

  #open(ctx: Context, call: StreamCall): ChunkIterator {
    call.join(this.#all)
    const errors = new ErrorReporter(ctx)
    const terminal = (request: GenerateOptions): AdapterRun => this.#run(ctx, call, { request })
    const stream = ctx.waterfall('llm/stream', [call.request], terminal, {
      seal: (result, frame) => {
        this.#enter(frame, call)
        return seal(result, frame.plugin, (error) => errors.report(error, frame.plugin))
      },
    })
    // Either the terminal's own run, or what `seal` made of the outermost result.
    return stream as ChunkIterator
  }

  #enter({ context, plugin }: WaterfallFrame, call: StreamCall): void {
    let calls = this.#entered.get(context)
    if (calls === undefined) {
      const entered = new InFlight<StreamCall>()
      if (!tryEffect(context, () => entered.drain(this.#drainOptions(plugin)))) return
      this.#entered.set(context, entered)
      calls = entered
    }
    call.join(calls)
  }

  #run(ctx: Context, call: StreamCall, { request, admit = admitRequest }: RunStart): AdapterRun {
    const { clock, cleanupMs } = this.#options
    const run: AdapterRun = new AdapterRun(
      {
        clock,
        cleanupMs,
        callerSignal: call.request.signal,
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

  #dispatch(given: GenerateOptions, signal: AbortSignal): Dispatch {
    const { registry } = this.#options
    const registration = registry.find(given.provider)
    const { adapter, plugin, runs } = registration
    assertSupported(given, registration)
    const checked = checkedRequestMessages(given.messages)
    const messages = filterReplayState(checked, (provider) => registry.owner(provider) === adapter)
    const request = markAdmitted({ ...given, messages, signal })
    const ready = hasEffortToCheck(request, adapter) ? assertEffort(request, adapter, signal) : undefined
    return { adapter, plugin, runs, request, ready }
  }

  #drainOptions(plugin: string): Parameters<InFlight<StreamCall>['drain']>[0] {
    const { clock, drainMs } = this.#options
    return { clock, drainMs, failure: unloadFailure(plugin) }
  }
}

/** False for a listener that unloads its own plugin while it runs: that unload cannot wait for this very call. */
function tryEffect(context: Context, undo: () => Promise<void>): boolean {
  try {
    context.effect(() => undo)
    return true
  } catch {
    return false
  }
}

function throwError(error: unknown): never {
  throw error
}

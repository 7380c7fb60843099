import type { AdapterRequest, LlmAdapter } from './adapter.ts'
import type { AdapterRun } from './adapter-run.ts'
import type { Clock } from './clock.ts'
import type { InFlight } from './in-flight.ts'
import type { GenerateOptions } from './types.ts'

/** A request that passed every check, with the adapter that answers it. */
export interface Dispatch {
  readonly adapter: LlmAdapter
  /** Frozen; its signal belongs to this run. */
  readonly request: AdapterRequest
  /** Name of the plugin that registered the adapter. */
  readonly plugin: string
  /** Runs of this registration, which an unload waits for. */
  readonly runs: InFlight<AdapterRun>
}

/** What a run needs from the runtime. */
export interface RunHost {
  readonly clock: Clock
  /** How long a run waits for the clean-up of its adapter, in milliseconds. */
  readonly cleanupMs: number
  /** Copies and freezes a request (L5), or throws `INVALID_REQUEST`. One that was admitted comes back as it is. */
  admit(request: GenerateOptions): GenerateOptions
  /** Checks a request and finds its route; throws the coded error that the caller is to see. */
  dispatch(request: GenerateOptions, signal: AbortSignal): Dispatch | Promise<Dispatch>
  onEnd(run: AdapterRun): void
  reportError(error: unknown, plugin: string): void
}

import type { AdapterRequest, LlmAdapter } from './adapter.ts'
import type { AdapterRun } from './adapter-run.ts'
import type { Patience } from './close-iterator.ts'
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
  /** What must be asked before the adapter may start; rejects with the coded error that the caller is to see. */
  readonly ready?: Promise<void> | undefined
}

/** What a run needs from the runtime. */
export interface RunHost extends Patience {
  /** Of whoever called `stream()`; a listener may have replaced it in the request, but never overrules it. */
  readonly callerSignal: AbortSignal | undefined
  /** Copies and freezes a request (L5), or throws `INVALID_REQUEST`. One that was admitted comes back as it is. */
  admit(request: GenerateOptions): GenerateOptions
  /** Checks a request and finds its route; throws the coded error that the caller is to see. */
  dispatch(request: GenerateOptions, signal: AbortSignal): Dispatch
  onEnd(run: AdapterRun): void
  reportError(error: unknown, plugin: string): void
}

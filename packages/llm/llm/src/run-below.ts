import { AdapterRun } from './adapter-run.ts'
import { RerunStream } from './rerun-stream.ts'
import { TapStream } from './tap-stream.ts'

/** The adapter run of which nothing can add, drop or change a chunk from now on before the reader sees it, if there is one. */
export function runBelow(stream: unknown): AdapterRun | undefined {
  if (stream instanceof AdapterRun) return stream
  if (stream instanceof TapStream) return runBelow(stream.source)
  return stream instanceof RerunStream ? runBelow(stream.settled) : undefined
}

/** Whether `runBelow` may find a run later on, once a stream has settled on it. */
export function mayStandAside(stream: unknown): boolean {
  return stream instanceof TapStream ? mayStandAside(stream.source) : stream instanceof RerunStream
}

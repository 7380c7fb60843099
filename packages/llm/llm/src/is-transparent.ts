import { AdapterRun } from './adapter-run.ts'
import { TapStream } from './tap-stream.ts'
import type { StreamChunk } from './types.ts'

/** Whether nothing between the adapter and the reader can add, drop or change a chunk. */
export function isTransparent(stream: AsyncIterable<StreamChunk>): boolean {
  return stream instanceof AdapterRun || (stream instanceof TapStream && stream.source instanceof AdapterRun)
}

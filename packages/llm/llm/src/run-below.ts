import { AdapterRun } from './adapter-run.ts'
import type { ChunkIterator } from './chunk-iterator.ts'
import { TapStream } from './tap-stream.ts'

/** The adapter run of which nothing can add, drop or change a chunk before the reader sees it, if there is one. */
export function runBelow(stream: ChunkIterator): AdapterRun | undefined {
  const source = stream instanceof TapStream ? stream.source : stream
  return source instanceof AdapterRun ? source : undefined
}

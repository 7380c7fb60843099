import { AdapterRun } from './adapter-run.ts'
import { type ChunkIterator, streamConsumed } from './chunk-iterator.ts'
import { RerunStream } from './rerun-stream.ts'
import { type Blame, type ListenerResult, SealedStream } from './sealed-stream.ts'
import { StreamCall } from './stream-call.ts'
import { TapStream } from './tap-stream.ts'

/**
 * Turns what a listener returned into a stream that the frame outside can rely on. What `next()` gave comes back as it
 * is, and so does a tap on it, which cannot break anything; all else is wrapped (L7).
 */
export function seal(result: ListenerResult, plugin: string, blame: Blame): ChunkIterator {
  if (result instanceof RerunStream && isReliable(result.source)) {
    fresh(result.source)
    result.claim({ blame, seal: (stream) => seal(stream, plugin, blame) })
  }
  if (isReliable(result)) return fresh(result)
  if (result instanceof TapStream && isReliable(result.source)) {
    fresh(result.source)
    result.claim(blame)
    return fresh(result)
  }
  return new SealedStream(result, plugin, blame)
}

/** A stream that its listener has begun to read is of no use to anybody else; here it is known whose fault that is. */
function fresh<Stream extends ChunkIterator>(stream: Stream): Stream {
  if (stream.isTaken) throw streamConsumed()
  return stream
}

function isReliable(stream: unknown): stream is AdapterRun | RerunStream | SealedStream | StreamCall {
  // One that was never claimed is of a listener that wrapped it in something else.
  if (stream instanceof RerunStream) return stream.isClaimed
  return stream instanceof AdapterRun || stream instanceof SealedStream || stream instanceof StreamCall
}

import { AdapterRun } from './adapter-run.ts'
import { type Blame, type ListenerResult, SealedStream } from './sealed-stream.ts'
import { StreamCall } from './stream-call.ts'
import { TapStream } from './tap-stream.ts'
import type { StreamChunk } from './types.ts'

/**
 * Turns what a listener returned into a stream that the frame outside can rely on. What `next()` gave comes back as it
 * is, and so does a tap on it, which cannot break anything; all else is wrapped (L7).
 */
export function seal(result: ListenerResult, plugin: string, blame: Blame): AsyncIterable<StreamChunk> {
  if (isReliable(result)) return result
  if (result instanceof TapStream && isReliable(result.source)) {
    result.claim(blame)
    return result
  }
  return new SealedStream(result, plugin, blame)
}

function isReliable(stream: unknown): stream is AsyncIterable<StreamChunk> {
  return stream instanceof AdapterRun || stream instanceof SealedStream || stream instanceof StreamCall
}

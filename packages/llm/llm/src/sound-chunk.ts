import type { ContentBlock } from './content.ts'
import { detach } from './detach.ts'
import type { StreamChunk } from './types.ts'
import { soundUsage } from './usage.ts'

/**
 * The chunk itself, or a copy where it carries data that outlives the stream: a closed block goes into a message, so it
 * must be plain data that nobody changes any more (R12). Throws a `DetachFault` for one that is not.
 */
export function soundChunk(chunk: StreamChunk): StreamChunk {
  if (chunk.type === 'usage') return soundUsage(chunk)
  if (chunk.type !== 'block-end') return chunk
  const block: unknown = detach(chunk.block, 'block')
  // Plain data by now; that it is a block is for the grammar to see.
  return { type: 'block-end', index: chunk.index, block: block as ContentBlock }
}

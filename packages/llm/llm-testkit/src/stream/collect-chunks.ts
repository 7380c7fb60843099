import type { StreamChunk } from 'dsh-llm'

/** Reads a stream to its end and gives every chunk, untouched. Rejects with what the stream throws. */
export async function collectChunks(stream: AsyncIterable<StreamChunk>): Promise<StreamChunk[]> {
  const chunks: StreamChunk[] = []
  for await (const chunk of stream) chunks.push(chunk)
  return chunks
}

import { assertNever, type ContentBlock, type StreamChunk } from '../../src/index.ts'

/** One short line a chunk, so that a whole stream can be read in a test. */
export function outline(chunks: readonly StreamChunk[]): readonly string[] {
  return chunks.map(lineOf)
}

function lineOf(chunk: StreamChunk): string {
  switch (chunk.type) {
    case 'block-start':
      return `start ${chunk.index} ${chunk.blockType}`
    case 'text-delta':
      return `text ${chunk.index} ${chunk.text}`
    case 'reasoning-delta':
      return `reasoning ${chunk.index} ${chunk.text}`
    case 'tool-call-delta':
      return [
        'call',
        chunk.index,
        chunk.id,
        ...(chunk.name === undefined ? [] : [chunk.name]),
        chunk.argumentsDelta,
      ].join(' ')
    case 'block-end':
      return `end ${chunk.index} ${textOf(chunk.block)}`
    case 'usage':
      return `usage ${JSON.stringify(chunk.usage)}`
    case 'attempt':
      return `attempt ${chunk.attempt}`
    case 'finish':
      return [
        'finish',
        chunk.reason.kind,
        ...('failure' in chunk.reason ? [chunk.reason.failure.code] : []),
      ].join(' ')
    default:
      return assertNever(chunk)
  }
}

function textOf(block: ContentBlock): string {
  if (block.type === 'text' || block.type === 'reasoning') return block.text
  return block.type === 'tool-call' ? block.arguments : block.type
}

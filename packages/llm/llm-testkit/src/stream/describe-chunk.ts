import type { ContentBlock, StreamChunk } from 'dsh-llm'

/** One chunk on one line, for people who look for the one that is wrong. Never throws, whatever it is given. */
export function describeChunk(chunk: StreamChunk): string {
  switch (chunk?.type) {
    case 'block-start':
      return `block-start ${chunk.index} ${chunk.blockType}`
    case 'text-delta':
    case 'reasoning-delta':
      return `${chunk.type} ${chunk.index} ${quote(chunk.text)}`
    case 'tool-call-delta':
      return `tool-call-delta ${chunk.index} ${quote(chunk.id)} ${chunk.name ?? ''} ${quote(chunk.argumentsDelta)}`
    case 'block-end':
      return `block-end ${chunk.index} ${describeBlock(chunk.block)}`
    case 'finish':
      return `finish ${chunk.reason?.kind}${failureOf(chunk)}`
    case 'usage':
    case 'attempt':
    default:
      return quote(chunk)
  }
}

function describeBlock(block: ContentBlock): string {
  if (block?.type === 'tool-call') return `tool-call ${quote(block.id)} ${block.name} ${quote(block.arguments)}`
  if (block?.type === 'text' || block?.type === 'reasoning') return `${block.type} ${quote(block.text)}`
  return quote(block)
}

function failureOf({ reason }: Extract<StreamChunk, { type: 'finish' }>): string {
  return reason?.kind === 'error' || reason?.kind === 'aborted' ? ` ${reason.failure?.code}` : ''
}

/** A value as JSON, cut to what a line holds. */
export function quote(value: unknown): string {
  const text = printed(value)
  return text.length > 120 ? `${text.slice(0, 119)}…` : text
}

/** What JSON cannot hold, such as a bigint or a circle, says at least what it is. */
function printed(value: unknown): string {
  try {
    return JSON.stringify(value) ?? String(value)
  } catch {
    return typeof value === 'bigint' ? `${value}n` : Object.prototype.toString.call(value)
  }
}

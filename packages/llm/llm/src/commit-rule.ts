import { assertNever } from './assert-never.ts'
import type { StreamChunk } from './types.ts'

/** Until when a run may be given up for another one; `never` has no need for a rule. */
export type CommitPoint = 'first-content' | 'finish'

/**
 * Whether the reader must not lose this chunk any more once it has seen it. A whole tool call may be running by then,
 * so it counts in every mode; what merely announces content never does.
 */
export function isCommitting(chunk: StreamChunk, until: CommitPoint): boolean {
  switch (chunk.type) {
    case 'text-delta':
    case 'reasoning-delta':
      return until === 'first-content' && chunk.text !== ''
    case 'tool-call-delta':
      // Never empty: even without arguments it names a tool.
      return until === 'first-content'
    case 'block-end':
      return until === 'first-content' || chunk.block.type === 'tool-call'
    case 'block-start':
    case 'usage':
    case 'attempt':
    case 'finish':
      return false
    default:
      return assertNever(chunk, 'stream chunk')
  }
}

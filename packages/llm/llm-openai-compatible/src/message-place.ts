import { LlmError } from 'dsh-llm'

/** Where a message stands in its request, and what that changes about it. */
export interface MessagePlace {
  /** Position in `messages`, for error texts. */
  readonly index: number
  /** Wire ids of the calls whose own id cannot go out, because it is illegal or used before. */
  readonly callIds?: ReadonlyMap<string, string> | undefined
  /** Wire names that are not what `toWireToolName` gives. */
  readonly toolNames?: ReadonlyMap<string, string> | undefined
}

/** The failure for a block that Chat Completions has no form for, `UNSUPPORTED_CONTENT` naming message and block type. */
export function unsupportedBlock(type: string, holder: string, { index }: MessagePlace): LlmError {
  const why = `a "${type}" block in ${holder} has no form in Chat Completions`
  return new LlmError(
    `Message ${index} cannot be sent: ${why}, leave it out or turn it into text`,
    'UNSUPPORTED_CONTENT',
  )
}

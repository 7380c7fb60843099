import type { ContentBlock, Message, TextBlock, ToolResultBlock } from 'dsh-llm'
import type { EncodingProfile } from './encoding-profile.ts'
import { type MessagePlace, unsupportedBlock } from './message-place.ts'
import { serializeAssistant } from './serialize-assistant.ts'
import { wellFormed } from './well-formed.ts'
import type { WireMessage, WireTextMessage, WireToolMessage } from './wire-request.ts'

/**
 * One message as the wire has it: none for an assistant turn with nothing to say, several for tool results. Content
 * that this wire cannot carry is `UNSUPPORTED_CONTENT` naming the message.
 */
export function serializeMessage(
  message: Message,
  profile: EncodingProfile,
  place: MessagePlace,
): readonly WireMessage[] {
  switch (message.role) {
    case 'system':
      return [{ role: laterSystemRole(profile), content: joinTexts(message, place) }]
    case 'user':
      return serializeUser(message, profile, place)
    case 'assistant':
      return serializeAssistant(message, profile, place)
  }
}

function laterSystemRole({ rules }: EncodingProfile): WireTextMessage['role'] {
  return rules.laterSystemRole === 'user' ? 'user' : rules.systemRole
}

/** The text of a message that may hold nothing else, its blocks set apart by blank lines. */
export function joinTexts({ content, role }: Message, place: MessagePlace): string {
  return joinBlocks(assertTexts(content, `a ${role} message`, place))
}

/** Results come first, since the wire wants them right behind their calls; the texts of a message become one string. */
function serializeUser(
  { content }: Message,
  profile: EncodingProfile,
  place: MessagePlace,
): readonly WireMessage[] {
  const results: WireToolMessage[] = []
  const texts: TextBlock[] = []
  for (const block of content) {
    if (block.type === 'text') texts.push(block)
    else if (block.type === 'tool-result') results.push(serializeResult(block, profile, place))
    else throw unsupportedBlock(block.type, 'a user message', place)
  }
  if (results.length > 0 && texts.length === 0) return results
  const text: WireTextMessage = { role: 'user', content: joinBlocks(texts) }
  return results.length === 0 ? [text] : [...results, text]
}

/** Blank output counts as none: several servers refuse it, and a model takes it for a call that never ran. */
function serializeResult(
  block: ToolResultBlock,
  { rules }: EncodingProfile,
  place: MessagePlace,
): WireToolMessage {
  const output = joinBlocks(assertTexts(block.content, 'a tool result', place))
  const content = output.trim() === '' && rules.emptyToolOutput !== '' ? rules.emptyToolOutput : output
  return {
    role: 'tool',
    tool_call_id: place.callIds?.get(block.toolCallId) ?? block.toolCallId,
    content: block.isError === true ? rules.toolErrorMark + content : content,
  }
}

/** The blocks, if all are text; `holder` names what they are in. */
function assertTexts(
  blocks: readonly ContentBlock[],
  holder: string,
  place: MessagePlace,
): readonly TextBlock[] {
  return blocks.map((block) => {
    if (block.type === 'text') return block
    throw unsupportedBlock(block.type, holder, place)
  })
}

function joinBlocks(blocks: readonly TextBlock[]): string {
  return wellFormed(blocks.map(({ text }) => text).join('\n\n'))
}

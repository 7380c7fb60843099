import { isJsonText, type JsonObject, type JsonValue, type Message, type ToolCallBlock } from 'dsh-llm'
import type { EncodingProfile } from './encoding-profile.ts'
import { type MessagePlace, unsupportedBlock } from './message-place.ts'
import { readReplayState, type ReplayState } from './replay-state.ts'
import { toWireToolName } from './tool-names.ts'
import { wellFormed } from './well-formed.ts'
import type { WireAssistantMessage, WireToolCall } from './wire-request.ts'

/** An assistant turn sorted by what its blocks become; `calls` keep their block index for the replay state. */
interface Turn {
  readonly text: string
  /** Absent if there was no reasoning block at all. */
  readonly reasoning: string | undefined
  readonly calls: readonly { readonly block: ToolCallBlock; readonly index: number }[]
}

/**
 * One assistant message, or none if it would carry nothing: `content: null` without calls is a 400 on most servers.
 * Text and reasoning are the exact concatenation of their blocks, as the wire sent them.
 */
export function serializeAssistant(
  message: Message,
  profile: EncodingProfile,
  place: MessagePlace,
): readonly WireAssistantMessage[] {
  const turn = readTurn(message, place)
  const isOwn = isFromRoute(message, profile)
  const replay = isOwn ? replayStateOf(message) : undefined
  const reasoning = echoedReasoning(turn, profile)
  const details = replay?.reasoningDetails
  if (turn.text === '' && turn.calls.length === 0 && !reasoning && details === undefined) return []
  return [
    {
      role: 'assistant',
      content: turn.text === '' && turn.calls.length > 0 ? profile.rules.emptyContent : turn.text,
      ...(reasoning === undefined ? undefined : { [profile.rules.reasoningField]: reasoning }),
      ...(details === undefined ? undefined : { reasoning_details: details }),
      ...(turn.calls.length === 0
        ? undefined
        : { tool_calls: serializeCalls(turn, { profile, place, replay, isOwn }) }),
    },
  ]
}

/** Text is repaired after it was joined, since two blocks may share a surrogate pair. */
function readTurn(message: Message, place: MessagePlace): Turn {
  let text = ''
  let reasoning: string | undefined
  const calls: { readonly block: ToolCallBlock; readonly index: number }[] = []
  message.content.forEach((block, at) => {
    if (block.type === 'text') text += block.text
    else if (block.type === 'reasoning') reasoning = (reasoning ?? '') + block.text
    else if (block.type === 'tool-call') calls.push({ block, index: at })
    else throw unsupportedBlock(block.type, 'an assistant message', place)
  })
  return {
    text: wellFormed(text),
    reasoning: reasoning === undefined ? undefined : wellFormed(reasoning),
    calls,
  }
}

/** What the model thought, as far as the server wants it back; absent means that the key must not be there. */
function echoedReasoning({ reasoning, calls }: Turn, { echo }: EncodingProfile): string | undefined {
  switch (echo) {
    case 'never':
      return undefined
    case 'when-present':
      return reasoning
    case 'with-tool-calls':
      return calls.length > 0 ? reasoning : undefined
    case 'always':
      // The server checks that the key is there, so an empty text counts as returned.
      return reasoning ?? ''
  }
}

/** Signatures are worth nothing to another model, so they go back only to the very one that made them. */
function isFromRoute({ source }: Message, { replayFor }: EncodingProfile): boolean {
  if (source.kind !== 'model' || replayFor === undefined) return false
  return source.provider === replayFor.provider && source.model === replayFor.model
}

/** Absent for a turn that came without. */
function replayStateOf({ source }: Message): ReplayState | undefined {
  return source.kind === 'model' && source.replayState !== undefined
    ? readReplayState(source.replayState)
    : undefined
}

/** What the calls of one turn have in common. */
interface CallContext {
  readonly profile: EncodingProfile
  readonly place: MessagePlace
  readonly replay: ReplayState | undefined
  readonly isOwn: boolean
}

/** Signatures stand on the call they came with; a demanded one for a foreign turn stands on its first call only. */
function serializeCalls(
  { calls }: Turn,
  { profile, place, replay, isOwn }: CallContext,
): readonly WireToolCall[] {
  return calls.map(({ block, index }, position) => {
    const extra = replay?.blocks[index]?.extraContent
    const foreign = !isOwn && position === 0 ? profile.rules.foreignCallFields : undefined
    const fields: JsonObject | undefined = extra === undefined ? foreign : { extra_content: extra }
    return { ...serializeCall(block, profile, place), ...fields }
  })
}

function serializeCall(block: ToolCallBlock, { rules }: EncodingProfile, place: MessagePlace): WireToolCall {
  const { id, name } = block
  return {
    id: place.callIds?.get(id) ?? id,
    type: 'function',
    function: {
      name: place.toolNames?.get(name) ?? toWireToolName(name, rules.maxToolNameLength),
      arguments: toWireArguments(block.arguments),
    },
  }
}

/**
 * Servers that fill chat templates parse the arguments of old calls, so they must be JSON: valid text goes out as it
 * is, blank text as `{}`, and broken text inside an object, where the model still sees what it wrote.
 */
function toWireArguments(text: string): string {
  if (text.trim() === '') return '{}'
  return isJsonText(text)
    ? wellFormed(text)
    : JSON.stringify({ invalid_arguments: wellFormed(text) } satisfies JsonValue)
}

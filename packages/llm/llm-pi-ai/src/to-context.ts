import { type AdapterRequest, type ContentBlock, type ContentBlockOf, LlmError, type Message } from 'dsh-llm'
import { CallIdPlanner, type ToolNames } from 'dsh-llm-openai-compatible'
import { toArgumentObject } from './argument-object.ts'
import type { PiBlock, PiContext, PiMessage, PiModel, PiToolCall } from './pi-api.ts'
import type { Protocol } from './protocol.ts'
import { type BlockState, type HiddenBlock, readReplayState, type ReplayState } from './replay-state.ts'
import { wrap } from './wrapped-signature.ts'

/** A conversation as pi-ai has it. */
export interface PiConversation {
  readonly context: PiContext
  /** The argument text of each call as the model wrote it, by the id under which the call is sent. */
  readonly argumentTexts: ReadonlyMap<string, string>
  /** Ids of the history, as it has them and as they are sent: a new call may use none. */
  readonly callIds: ReadonlySet<string>
}

/** What a conversation is written for. */
export interface ContextTarget {
  readonly model: PiModel
  readonly protocol: Protocol
  readonly toolNames: ToolNames
}

type PiTurn = PiContext['messages'][number]

/**
 * Writes a request as pi-ai's context. Content that it cannot carry is `UNSUPPORTED_CONTENT`; reasoning goes along
 * only with the state that lets its own provider read it.
 */
export function toConversation(request: AdapterRequest, target: ContextTarget): PiConversation {
  const writer = new ContextWriter(target)
  for (const message of request.messages) writer.add(message)
  const { turns: messages, argumentTexts, callIds } = writer
  const tools = request.tools?.map(({ name, description, parameters }) => ({
    name: target.toolNames.toWire(name),
    description,
    parameters,
  }))
  const context = { messages, ...(request.system !== undefined && { systemPrompt: request.system }) }
  return { context: tools === undefined ? context : { ...context, tools }, argumentTexts, callIds }
}

/** pi-ai keeps times for its own records; no API gets to see them. */
const timestamp = 0

class ContextWriter {
  readonly turns: PiTurn[] = []
  readonly argumentTexts = new Map<string, string>()
  readonly #target: ContextTarget
  readonly #planner: CallIdPlanner
  /** Id of the provider's item and name of the tool, by the id under which a call is sent. */
  readonly #calls = new Map<string, { readonly piId: string; readonly name: string }>()

  constructor(target: ContextTarget) {
    this.#target = target
    this.#planner = new CallIdPlanner(target.protocol.callIds)
  }

  get callIds(): ReadonlySet<string> {
    return this.#planner.known
  }

  add({ role, content, source }: Message): void {
    if (role === 'assistant') {
      const envelope = source.kind === 'model' ? source.replayState : undefined
      this.#addAnswer(content, readReplayState(envelope, this.#target.model, this.#target.protocol))
      return
    }
    if (role === 'system') {
      this.turns.push({ role, content: textsOf(content).join('\n'), timestamp })
      return
    }
    this.#addUser(content)
  }

  /** Results are turns of their own; the texts between them stay together. */
  #addUser(content: readonly ContentBlock[]): void {
    let texts: string[] = []
    const flush = (): void => {
      if (texts.length === 0) return
      this.turns.push({ role: 'user', content: texts.map((text) => ({ type: 'text', text })), timestamp })
      texts = []
    }
    for (const block of content) {
      if (block.type === 'text') texts.push(block.text)
      else if (block.type === 'tool-result') {
        flush()
        this.#addResult(block)
      } else throw unsupported(block)
    }
    flush()
  }

  #addResult({ toolCallId, content, isError = false }: ContentBlockOf<'tool-result'>): void {
    const wireId = this.#planner.answer(toolCallId)
    const { piId = wireId, name: toolName = '' } = this.#calls.get(wireId) ?? {}
    const { toolErrorMark = '' } = this.#target.protocol
    const mark = isError ? toolErrorMark : ''
    const texts = textsOf(content).map((text, at) => ({
      type: 'text' as const,
      text: at === 0 ? mark + text : text,
    }))
    if (texts.length === 0 && mark !== '') texts.push({ type: 'text', text: mark.trim() })
    this.turns.push({ role: 'toolResult', toolCallId: piId, toolName, content: texts, isError, timestamp })
  }

  #addAnswer(content: readonly ContentBlock[], state: ReplayState | undefined): void {
    const { api, provider, id: model } = this.#target.model
    const written = this.#toContent(content, state)
    const stopReason = written.some(({ type }) => type === 'toolCall') ? 'toolUse' : 'stop'
    // Named as the model's own, since pi-ai rewrites ids of others by rules that differ from ours.
    this.turns.push({ role: 'assistant', content: written, api, provider, model, stopReason, usage, timestamp })
  }

  #toContent(content: readonly ContentBlock[], state: ReplayState | undefined): PiBlock[] {
    const hidden = Map.groupBy(state?.hidden ?? [], ({ at }) => at)
    const written: PiBlock[] = []
    for (const [at, block] of content.entries()) {
      written.push(
        ...(hidden.get(at) ?? []).map((block) => this.#toHidden(block)),
        ...this.#toBlock(block, at, state),
      )
    }
    written.push(...(hidden.get(content.length) ?? []).map((block) => this.#toHidden(block)))
    return written
  }

  #toBlock(block: ContentBlock, at: number, state: ReplayState | undefined): readonly PiBlock[] {
    const kept = state?.blocks[at]
    // A message may have been edited since, and a signature is good for its own kind of block only.
    const { signature, itemId } = kept?.type === block.type ? this.#toPiState(kept) : {}
    switch (block.type) {
      case 'text':
        return [
          { type: 'text', text: block.text, ...(signature !== undefined && { textSignature: signature }) },
        ]
      case 'reasoning':
        if (signature === undefined) return []
        return [{ type: 'thinking', thinking: block.text, thinkingSignature: signature }]
      case 'tool-call':
        return [this.#toCall(block, signature, itemId)]
      case 'tool-result':
      default:
        throw unsupported(block)
    }
  }

  #toHidden({ type, signature: kept, redacted }: HiddenBlock): PiBlock {
    const signature = this.#target.protocol.wrapsSignatures === true ? wrap(kept) : kept
    if (type === 'text') return { type, text: '', textSignature: signature }
    const content: PiBlock = { type, thinking: '', thinkingSignature: signature }
    return redacted === true ? { ...content, redacted } : content
  }

  #toPiState({ signature, itemId }: BlockState): Partial<BlockState> {
    const { splitsCallIds = false, wrapsSignatures = false } = this.#target.protocol
    return {
      signature: signature !== undefined && wrapsSignatures ? wrap(signature) : signature,
      itemId: splitsCallIds ? itemId : undefined,
    }
  }

  #toCall(
    { id, name, arguments: text }: ContentBlockOf<'tool-call'>,
    signature: string | undefined,
    itemId: string | undefined,
  ): PiToolCall {
    const wireId = this.#planner.open(id)
    const piId = itemId === undefined ? wireId : `${wireId}|${itemId}`
    const wireName = this.#target.toolNames.toWire(name)
    this.#calls.set(wireId, { piId, name: wireName })
    this.argumentTexts.set(wireId, text.trim() === '' ? '{}' : text)
    const input = toArgumentObject(text, this.#target.protocol.losesDigits === true)
    const call: PiToolCall = { type: 'toolCall', id: piId, name: wireName, arguments: input }
    return signature === undefined ? call : { ...call, thoughtSignature: signature }
  }
}

/** Of an answer in the past nothing is counted again. */
const usage: PiMessage['usage'] = Object.freeze({
  input: 0,
  output: 0,
  cacheRead: 0,
  cacheWrite: 0,
  totalTokens: 0,
  cost: Object.freeze({ input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 }),
})

function textsOf(content: readonly ContentBlock[]): readonly string[] {
  return content.map((block) => {
    if (block.type !== 'text') throw unsupported(block)
    return block.text
  })
}

function unsupported({ type }: ContentBlock): LlmError {
  return new LlmError(
    `Cannot send a block of the type "${type.slice(0, 60)}" through pi-ai; send text in its place`,
    'UNSUPPORTED_CONTENT',
  )
}

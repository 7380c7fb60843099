import {
  type CollectedAnswer,
  collect,
  createAssistantMessage,
  createToolResultMessage,
  createUserMessage,
  type GenerateOptions,
  type LlmRuntime,
  type Message,
  type StreamChunk,
  type ToolCallBlock,
} from 'dsh-llm'
import type { Output } from './output.ts'
import type { Renderer } from './renderer.ts'
import { runTool } from './tools/run-tool.ts'
import type { Workspace } from './tools/workspace.ts'
import { TurnMeter, type TurnReport } from './turn-report.ts'

/** A model that still asks for tools in its sixteenth answer is stopped; `finish` of the turn is then `tool-calls`. */
export const maxRounds = 16

export interface ConversationOptions {
  readonly llm: LlmRuntime
  /** The same for every call: route, model, instructions, tools. */
  readonly request: Omit<GenerateOptions, 'messages' | 'signal'>
  readonly workspace: Workspace
  readonly renderer: Renderer
  /** Where the renderer writes; a slow reader there slows the answer down. */
  readonly output: Output
}

/** The plain loop around tools: ask, run what the model calls for, ask again. Its history is valid after every turn. */
export class Conversation {
  readonly #options: ConversationOptions
  readonly #messages: Message[] = []

  constructor(options: ConversationOptions) {
    this.#options = options
  }

  /** One turn of the user. Failures and aborts of calls are in the report; only bugs and listeners make it reject. */
  async ask(question: string, signal: AbortSignal): Promise<TurnReport> {
    const { llm, renderer } = this.#options
    const meter = new TurnMeter(() => llm.clock.now())
    this.#messages.push(createUserMessage(question))
    let answer = await this.#answer(meter, signal)
    // Tools run after the last answer too: their calls stand in the history and need results.
    for (let round = 1; answer.finish.kind === 'tool-calls'; round += 1) {
      await this.#runTools(answer.message)
      if (round === maxRounds) break
      answer = await this.#answer(meter, signal)
    }
    const report = meter.report(answer.finish)
    renderer.turnEnd(report)
    return report
  }

  /** One call to the model. A failure is an answer like any other: it is metered, since it was billed too. */
  async #answer(meter: TurnMeter, signal: AbortSignal): Promise<CollectedAnswer> {
    const { llm, request } = this.#options
    const stream = llm.stream({ ...request, messages: this.#messages, signal })
    const answer = await collect(this.#show(stream, meter))
    meter.answer(answer)
    this.#remember(answer)
    return answer
  }

  /** Shows chunks on their way to the collector; being pulled, a slow reader holds back the socket. */
  async *#show(stream: AsyncIterable<StreamChunk>, meter: TurnMeter): AsyncGenerator<StreamChunk> {
    const { renderer, output } = this.#options
    for await (const chunk of stream) {
      meter.chunk(chunk)
      renderer.chunk(chunk)
      const drained = output.drained()
      if (drained !== undefined) await drained
      yield chunk
    }
  }

  /** What the model said is kept, a cut answer too; a question that got nothing at all is taken back. */
  #remember({ message, partial, finish }: CollectedAnswer): void {
    if (message !== undefined && message.content.length > 0) this.#messages.push(message)
    else if (partial.length > 0 && finish.response !== undefined) {
      const { provider, model } = finish.response
      const source = { kind: 'model', provider, model } as const
      this.#messages.push(createAssistantMessage({ content: partial, source }))
    } else if (this.#messages.at(-1)?.source.kind === 'user') this.#messages.pop()
  }

  /** Every call gets its result, after an abort too: one left open would make the next request `INVALID_HISTORY`. */
  async #runTools(message: Message | undefined): Promise<void> {
    const calls = message?.content.filter((block): block is ToolCallBlock => block.type === 'tool-call') ?? []
    for (const call of calls) {
      const outcome = await runTool(call, this.#options.workspace)
      this.#options.renderer.toolResult(call.name, outcome)
      this.#messages.push(createToolResultMessage({ callId: call.id, ...outcome }))
    }
  }
}

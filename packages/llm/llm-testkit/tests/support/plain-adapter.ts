import {
  type AdapterRequest,
  type AppIdentity,
  attributionHeaders,
  ChunkWriter,
  codeOfStatus,
  LlmAdapter,
  LlmError,
  type Message,
  type OptionName,
  type StreamChunk,
} from 'dsh-llm'
import type { AdapterConnection } from '../../src/index.ts'

/** A piece of a call on this wire. */
export interface WireCall {
  readonly index: number
  readonly id?: string
  readonly function: { readonly name?: string; readonly arguments?: string }
}

/** What one event may hold. */
export interface WireEvent {
  readonly error?: { readonly message: string }
  readonly choices?: readonly {
    readonly delta: {
      readonly content?: string
      readonly reasoning_content?: string
      readonly tool_calls?: readonly WireCall[]
    }
    readonly finish_reason: string | null
  }[]
  readonly usage?: { readonly prompt_tokens?: number; readonly completion_tokens?: number } | null
}

/** A small honest adapter over `fetch`, each of whose parts a test may replace by a broken one. */
export class PlainAdapter extends LlmAdapter {
  override readonly options: ReadonlySet<OptionName> = new Set<OptionName>(['system', 'tools', 'stop'])
  readonly #connection: AdapterConnection

  constructor(connection: AdapterConnection) {
    super()
    this.#connection = connection
  }

  async *stream(request: AdapterRequest): AsyncGenerator<StreamChunk> {
    const controller = this.linked(request)
    try {
      const response = await this.send(request, controller.signal)
      if (!response.ok) throw await this.refusal(response)
      yield* this.translate(response, new ChunkWriter())
    } finally {
      controller.abort()
    }
  }

  protected linked({ signal }: AdapterRequest): { readonly signal: AbortSignal; abort(): void } {
    const controller = new AbortController()
    const abort = (): void => {
      signal.removeEventListener('abort', abort)
      controller.abort(signal.reason)
    }
    signal.addEventListener('abort', abort)
    if (signal.aborted) abort()
    return { signal: controller.signal, abort }
  }

  protected async send(request: AdapterRequest, signal: AbortSignal): Promise<Response> {
    const { url, apiKey, identity, fetch = globalThis.fetch } = this.#connection
    const headers = { ...this.attribution(identity), authorization: `Bearer ${apiKey}` }
    const body = JSON.stringify(this.body(request))
    return fetch(url, { method: 'POST', redirect: 'manual', headers, body, signal })
  }

  protected attribution(identity: AppIdentity | undefined): Record<string, string> {
    return attributionHeaders(identity)
  }

  protected body({ model, system, tools, stop, messages }: AdapterRequest): object {
    return { model, system, tools, stop, messages: messages.map((message) => this.message(message)) }
  }

  protected message({ role, content }: Message): object {
    for (const { type } of content) {
      if (['text', 'reasoning', 'tool-call', 'tool-result'].includes(type)) continue
      throw new LlmError(`The wire cannot carry a block of ${type}`, 'UNSUPPORTED_CONTENT')
    }
    return { role, content }
  }

  protected async refusal({ status, headers, body }: Response): Promise<LlmError> {
    await body?.cancel()
    const delay = headers.get('retry-after')
    return new LlmError(`The server answered ${status}`, codeOfStatus(status), {
      status,
      providerRetryAfterMs: delay === null ? undefined : Number(delay) * 1_000,
      requestId: headers.get('x-request-id') ?? undefined,
    })
  }

  protected async *events(response: Response): AsyncGenerator<WireEvent> {
    let rest = ''
    const decoder = new TextDecoder()
    for await (const bytes of response.body ?? []) {
      const frames = (rest + decoder.decode(bytes, { stream: true })).split('\n\n')
      rest = frames.pop() ?? ''
      for (const frame of frames) {
        if (frame === 'data: [DONE]') return
        if (frame.startsWith('data: ')) yield this.parse(frame.slice(6))
      }
    }
  }

  protected parse(data: string): WireEvent {
    try {
      return JSON.parse(data) as WireEvent
    } catch {
      throw new LlmError('The server sent an event that is no JSON', 'MALFORMED_RESPONSE')
    }
  }

  protected async *translate(response: Response, writer: ChunkWriter): AsyncGenerator<StreamChunk> {
    let finish: string | null = null
    for await (const event of this.events(response)) {
      if (event.error !== undefined) throw new LlmError(event.error.message, 'SERVER')
      for (const { delta, finish_reason: reason } of event.choices ?? []) {
        finish = reason ?? finish
        yield* writer.reasoning(delta.reasoning_content ?? '')
        yield* writer.text(delta.content ?? '')
        for (const call of delta.tool_calls ?? []) yield* this.call(call, writer)
      }
      yield* this.usage(event, writer)
    }
    yield* this.finish(finish, writer, response)
  }

  protected call({ index, id, function: piece }: WireCall, writer: ChunkWriter): StreamChunk[] {
    return writer.toolCall(index, { id, ...piece })
  }

  protected usage({ usage }: WireEvent, writer: ChunkWriter): StreamChunk[] {
    if (usage === undefined || usage === null) return []
    return writer.usage({ inputTokens: usage.prompt_tokens, outputTokens: usage.completion_tokens })
  }

  protected finish(finish: string | null, writer: ChunkWriter, { headers }: Response): StreamChunk[] {
    if (finish === null) throw new LlmError('The stream ended without its finish', 'STREAM_CLOSED')
    const requestId = headers.get('x-request-id')
    const response = { provider: 'contract', model: 'contract-model', requestId }
    return writer.finish(finish === 'length' ? 'max-tokens' : 'stop', { response: response as never })
  }
}

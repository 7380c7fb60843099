import { type AdapterRequest, LlmAdapter, type StreamChunk } from 'dsh-llm'
import { AnswerStream } from 'dsh-llm-openai-compatible'
import { openCall } from '../../src/call.ts'
import type { OpenPiStream } from '../../src/pi-api.ts'
import { PiAiRoute, type PiAiProviderConfig } from '../../src/route.ts'

/** The adapter as it is, but for pi-ai itself, in whose place something is played. */
export class PlayedAdapter extends LlmAdapter {
  readonly #route: PiAiRoute
  readonly #openStream: OpenPiStream

  constructor(api: NonNullable<PiAiProviderConfig['api']>, openStream: OpenPiStream) {
    super()
    this.#route = new PiAiRoute('p', { api, baseURL: 'http://127.0.0.1:9' })
    this.#openStream = openStream
  }

  stream(request: AdapterRequest): AsyncIterable<StreamChunk> {
    const setup = { request, route: this.#route }
    return new AnswerStream(request.signal, (signal) => openCall({ ...setup, signal }, this.#openStream))
  }
}

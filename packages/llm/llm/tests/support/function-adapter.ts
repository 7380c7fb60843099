import {
  type AdapterRequest,
  ALL_OPTIONS,
  LlmAdapter,
  type OptionName,
  type StreamChunk,
} from '../../src/index.ts'

/** What an adapter's `stream` does in a test; a hostile one gives anything. */
export type Answer = (request: AdapterRequest) => unknown

/** An adapter made of one function. Keeps every request it was given. */
export class FunctionAdapter extends LlmAdapter {
  override readonly options: ReadonlySet<OptionName>
  readonly requests: AdapterRequest[] = []
  readonly #answer: Answer

  constructor(answer: Answer, options: ReadonlySet<OptionName> = ALL_OPTIONS) {
    super()
    this.#answer = answer
    this.options = options
  }

  override stream(request: AdapterRequest): AsyncIterable<StreamChunk> {
    this.requests.push(request)
    return this.#answer(request) as AsyncIterable<StreamChunk>
  }
}

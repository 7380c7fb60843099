import {
  type AdapterRequest,
  type AppIdentity,
  ChunkWriter,
  LlmError,
  type Message,
  type OptionName,
  type StreamChunk,
} from 'dsh-llm'
import { afterAll, describe, expect, it } from 'vitest'
import type { AdapterConnection, WireContractSetup } from '../src/index.ts'
import { catchFault } from './support/catch-fault.ts'
import { PlainAdapter } from './support/plain-adapter.ts'
import { plainSetup } from './support/plain-setup.ts'

class Retries extends PlainAdapter {
  protected override async send(request: AdapterRequest, signal: AbortSignal): Promise<Response> {
    const first = await super.send(request, signal)
    return first.ok ? first : super.send(request, signal)
  }
}

class FollowsRedirects extends PlainAdapter {
  protected override async send(request: AdapterRequest, signal: AbortSignal): Promise<Response> {
    const first = await super.send(request, signal)
    return first.status === 307 ? super.send(request, signal) : first
  }
}

class SendsAtOnce extends PlainAdapter {
  override stream(request: AdapterRequest): AsyncGenerator<StreamChunk> {
    const response = this.send(request, request.signal)
    return this.#later(response)
  }

  async *#later(response: Promise<Response>): AsyncGenerator<StreamChunk> {
    yield* this.translate(await response, new ChunkWriter())
  }
}

class Deaf extends PlainAdapter {
  protected override linked(): { readonly signal: AbortSignal; abort(): void } {
    return { signal: new AbortController().signal, abort: () => {} }
  }
}

class DeafToLeaving extends PlainAdapter {
  override stream(request: AdapterRequest): AsyncGenerator<StreamChunk> {
    const stream = super.stream(request)
    stream.return = async () => ({ done: true, value: undefined })
    return stream
  }
}

class OneCode extends PlainAdapter {
  protected override async refusal({ status }: Response): Promise<LlmError> {
    return new LlmError('It failed', 'SERVER', { status })
  }
}

class TellsTheKey extends PlainAdapter {
  protected override async refusal(response: Response): Promise<LlmError> {
    const told = await response.text()
    const { failure } = await super.refusal(new Response(null, response))
    return new LlmError(told, failure.code, failure)
  }
}

class NeverFails extends PlainAdapter {
  protected override finish(finish: string | null, writer: ChunkWriter, response: Response): StreamChunk[] {
    return super.finish(finish ?? 'stop', writer, response)
  }
}

class InventsUsage extends PlainAdapter {
  protected override finish(finish: string | null, writer: ChunkWriter, response: Response): StreamChunk[] {
    return [...writer.usage({ inputTokens: 0, outputTokens: 0 }), ...super.finish(finish, writer, response)]
  }
}

class ReadsAhead extends PlainAdapter {
  protected override async *translate(response: Response, writer: ChunkWriter): AsyncGenerator<StreamChunk> {
    const [ahead, own] = response.body?.tee() ?? []
    void new Response(ahead).arrayBuffer().catch(() => {})
    yield* super.translate(new Response(own), writer)
  }
}

class DecodesPieceByPiece extends PlainAdapter {
  protected override translate(response: Response, writer: ChunkWriter): AsyncGenerator<StreamChunk> {
    const encode = new TextEncoder()
    const recode = new TransformStream<Uint8Array, Uint8Array>({
      transform: (bytes, controller) => controller.enqueue(encode.encode(new TextDecoder().decode(bytes))),
    })
    return super.translate(new Response(response.body?.pipeThrough(recode)), writer)
  }
}

class Anonymous extends PlainAdapter {
  protected override attribution(): Record<string, string> {
    return { 'user-agent': 'node' }
  }
}

class KeepsItsOwnName extends PlainAdapter {
  protected override attribution(_: AppIdentity | undefined): Record<string, string> {
    return super.attribution(undefined)
  }
}

class ClaimsSeed extends PlainAdapter {
  override readonly options: ReadonlySet<OptionName> = new Set<OptionName>(['seed'])
}

class DropsContent extends PlainAdapter {
  protected override message({ role, content }: Message): object {
    return { role, content: content.filter((block) => block.type === 'text') }
  }
}

class WritesToTheRequest extends PlainAdapter {
  override stream(request: AdapterRequest): AsyncGenerator<StreamChunk> {
    Object.assign(request, { model: `vendor/${request.model}` })
    return super.stream(request)
  }
}

class SharesAWriter extends PlainAdapter {
  #texts = ''

  protected override async *translate(response: Response, writer: ChunkWriter): AsyncGenerator<StreamChunk> {
    this.#texts = ''
    let finish: StreamChunk[] = []
    for await (const event of this.events(response)) {
      this.#texts += event.choices?.[0]?.delta.content ?? ''
      if (event.choices?.[0]?.finish_reason === 'stop')
        finish = this.finish('stop', new ChunkWriter(), response)
    }
    yield* writer.text(this.#texts)
    yield* writer.finish(finish.length > 0 ? 'stop' : 'max-tokens')
  }
}

class LeavesAListener extends PlainAdapter {
  override stream(request: AdapterRequest): AsyncGenerator<StreamChunk> {
    request.signal.addEventListener('abort', () => {})
    return super.stream(request)
  }
}

class LeavesATimer extends PlainAdapter {
  readonly #clock: AdapterConnection['clock']

  constructor(connection: AdapterConnection) {
    super(connection)
    this.#clock = connection.clock
  }

  override stream(request: AdapterRequest): AsyncGenerator<StreamChunk> {
    this.#clock.schedule(() => {}, 60_000)
    return super.stream(request)
  }
}

const leftTimers: NodeJS.Timeout[] = []

class LeavesARealTimer extends PlainAdapter {
  override stream(request: AdapterRequest): AsyncGenerator<StreamChunk> {
    leftTimers.push(setTimeout(() => {}, 60_000))
    return super.stream(request)
  }
}

class KeepsSecretState extends PlainAdapter {
  protected override finish(finish: string | null, writer: ChunkWriter): StreamChunk[] {
    return writer.finish(finish === null ? 'max-tokens' : 'stop', { replayState: { response: { cursor: 1 } } })
  }
}

class IgnoresFetch extends PlainAdapter {
  constructor(connection: AdapterConnection) {
    super({ ...connection, fetch: undefined })
  }
}

type Broken = new (connection: AdapterConnection) => PlainAdapter
type Fault = readonly [
  fault: string,
  rule: string,
  check: string,
  broken: Broken,
  setup?: Partial<WireContractSetup>,
]

const replayState = {
  answer: plainSetup.render({ text: 'signed' }),
  comesBack: () => false,
}

const faults: readonly Fault[] = [
  ['retries', 'A1', 'tells status 503 as OVERLOADED', Retries],
  ['follows redirects', 'A1', 'follows no redirect', FollowsRedirects],
  ['sends at once', 'A1', 'sends nothing before the first pull, nor when it is left before that', SendsAtOnce],
  ['does not use the fetch it is given', 'A1', 'goes through an injected fetch', IgnoresFetch],
  ['ignores the signal while it waits', 'A2', 'ends when it is aborted before the answer begins', Deaf],
  ['ignores the signal while it reads', 'A2', 'ends when it is aborted between two pieces of the answer', Deaf],
  ['keeps the connection when it is left', 'A2', 'lets go when a reader leaves in the middle', DeafToLeaving],
  ['calls every status SERVER', 'A3', 'tells status 401 as AUTH', OneCode],
  ['forgets how long to wait', 'A3', 'tells how long the provider asks to wait', OneCode],
  ['forgets the request id', 'A3', 'tells the request id of the provider', OneCode],
  ['tells the key', 'A3', 'tells status 401 as AUTH', TellsTheKey],
  ['takes a cut for an end', 'A3', 'takes a body that ends too early for no answer', NeverFails],
  ['counts cached input twice', 'A4', 'counts cached input apart from the rest', PlainAdapter, { lacks: [] }],
  ['counts zero where nothing is known', 'A4', 'makes up no usage', InventsUsage],
  ['reads ahead of its reader', 'A5', 'reads no further than its reader while that one pauses', ReadsAhead],
  ['hides who calls', 'A6', 'names the library as user-agent', Anonymous],
  ['keeps its own name', 'A6', 'names a white-label identity in its place', KeepsItsOwnName],
  ['claims an option it does not send', 'A7', 'honours or refuses seed', ClaimsSeed],
  ['drops content', 'A7', 'refuses content that its wire cannot carry', DropsContent],
  ['drops parts of the conversation', 'A7', 'carries a whole conversation', DropsContent],
  ['writes to a frozen request', 'A8', 'leaves a frozen request untouched', WritesToTheRequest],
  ['writes to the request', 'A8', 'writes nothing into a request that is not frozen', WritesToTheRequest],
  ['shares its text among calls', 'A9', 'keeps 50 calls at once apart', SharesAWriter],
  ['leaves a listener on the signal', 'A9', 'leaves nothing behind after the finish', LeavesAListener],
  ['leaves a timer', 'A9', 'leaves nothing behind after the finish', LeavesATimer],
  ['leaves a timer of the platform', 'A9', 'leaves nothing behind after return()', LeavesARealTimer],
  [
    'keeps state it does not declare',
    'A10',
    'keeps no replay state of which the contract does not know',
    KeepsSecretState,
  ],
  ['loses replay state', 'A10', 'brings replay state back', PlainAdapter, { replayState }],
  ['never brings replay state back', 'A10', 'brings replay state back', KeepsSecretState, { replayState }],
  ['decodes each piece by itself', 'R4', 'reads the same answer from single bytes', DecodesPieceByPiece],
]

const cases = faults.map(([fault, rule, check, BrokenAdapter, setup = {}]) => ({
  fault,
  rule,
  check,
  BrokenAdapter,
  setup,
}))

afterAll(() => {
  for (const timer of leftTimers) clearTimeout(timer)
})

describe('adapterContract: adapters that misuse the wire', () => {
  it.each(cases)('an adapter that $fault breaks $rule', async ({ rule, check, BrokenAdapter, setup }) => {
    const createAdapter: WireContractSetup['createAdapter'] = (connection) => new BrokenAdapter(connection)
    const error = await catchFault({ ...plainSetup, ...setup, createAdapter }, check)
    expect([error.name, error.rule]).toEqual(['ContractError', rule])
    expect(error.message).toContain(`BrokenAdapter, "${check}": Breaks ${rule}: `)
    expect(error.message).toContain(`To fix: ${error.fix}`)
    expect(error.message).not.toContain('unexpected')
  })
})

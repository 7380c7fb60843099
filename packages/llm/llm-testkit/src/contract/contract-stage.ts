import {
  type AdapterRequest,
  createUserMessage,
  type GenerateOptions,
  type LlmAdapter,
  MessageId,
} from 'dsh-llm'
import { type FakeClock, fakeClock } from '../clock/fake-clock.ts'
import type { ScriptedAnswer } from '../scripted/scripted-answer.ts'
import { type Answer, jsonAnswer, type Script } from '../server/answer.ts'
import { type ProviderServer, startProviderServer } from '../server/provider-server.ts'
import type { ReceivedRequest } from '../server/received-request.ts'
import { AdapterRun } from './adapter-run.ts'
import {
  type AdapterConnection,
  type ContractFeature,
  type ContractSetup,
  isWireSetup,
  type WireContractSetup,
} from './contract-setup.ts'
import { ContractError, contractFixes, type ContractRule, must } from './contract-rules.ts'
import { within } from './deadline.ts'
import { carriesCallIds, renderScripted } from './render-scripted.ts'

/** The key every adapter gets; no failure may show it. */
export const contractKey = 'contract-key-SENTINEL'

/** What a check says shall happen: an answer for each call, in order, or one made from the request's text. */
export type ContractScript = readonly ScriptedAnswer[] | ((requestText: string) => ScriptedAnswer)

/** Where one check happens: a server of its own, if the adapter needs one, a clock that stands still, and the author's facts. */
export class ContractStage {
  readonly clock: FakeClock = fakeClock()
  readonly provider: string
  readonly model: string
  readonly patienceMs: number
  private readonly setup: ContractSetup
  private started: ProviderServer | undefined
  private script: Script = []
  private served = 0
  private surplus = 0

  constructor(setup: ContractSetup) {
    this.setup = setup
    this.provider = setup.provider ?? 'contract'
    this.model = setup.model ?? 'contract-model'
    this.patienceMs = setup.patienceMs ?? 5_000
  }

  /** The setup of an adapter that has a wire; only checks that need one ask. */
  get wire(): WireContractSetup {
    if (isWireSetup(this.setup)) return this.setup
    throw new TypeError('This check needs a wire, which the adapter does not have')
  }

  get hasWire(): boolean {
    return isWireSetup(this.setup)
  }

  /** Whether the adapter says that it cannot carry something. */
  lacks(feature: ContractFeature): boolean {
    return this.setup.lacks?.includes(feature) === true
  }

  /** Whether the wire has ids of calls. */
  get carriesCallIds(): boolean {
    return carriesCallIds(this.wire)
  }

  /** What reached the server so far. */
  get requests(): readonly ReceivedRequest[] {
    return this.started?.requests ?? []
  }

  get server(): ProviderServer {
    if (this.started === undefined) throw new TypeError('No server was started for this check')
    return this.started
  }

  /** What rendering an answer threw, if anything did. */
  get scriptFailure(): unknown {
    return this.requests.find(({ failure }) => failure !== undefined)?.failure
  }

  /** The broken rule, if the server was asked more often than the script answers. */
  get excess(): ContractError | undefined {
    if (this.surplus === 0) return undefined
    const seen = `${this.surplus} more request(s) were sent than calls were made`
    return new ContractError({ rule: 'A1', seen, fix: contractFixes.A1 })
  }

  /** An adapter whose calls are answered by the script. */
  async play(script: ContractScript, connection: Partial<AdapterConnection> = {}): Promise<LlmAdapter> {
    const { setup } = this
    if (!isWireSetup(setup)) {
      return setup.scriptAdapter(({ messages }, index) => answerOf(script, JSON.stringify(messages), index))
    }
    const steps: Script =
      typeof script === 'function'
        ? ({ body }) => renderScripted(script(body), setup)
        : script.map((answer) => renderScripted(answer, setup))
    return this.serve(steps, connection)
  }

  /** An adapter whose requests are answered by these very bytes; needs a wire. */
  async serve(script: Script, connection: Partial<AdapterConnection> = {}): Promise<LlmAdapter> {
    this.script = script
    this.served = this.requests.length
    this.started ??= await startProviderServer({ script: (request, index) => this.answer(request, index) })
    return this.wire.createAdapter({
      url: this.started.url,
      apiKey: contractKey,
      clock: this.clock,
      identity: undefined,
      fetch: undefined,
      ...connection,
    })
  }

  /** A request as the runtime would hand it over. */
  request(options: Partial<GenerateOptions> = {}): AdapterRequest {
    return { ...this.options(), ...options, signal: options.signal ?? new AbortController().signal }
  }

  options(): GenerateOptions {
    const message = createUserMessage('contract-question', { id: MessageId('contract-question') })
    return { provider: this.provider, model: this.model, messages: [message] }
  }

  /** Starts a run, which begins with the first pull. */
  start(adapter: LlmAdapter, options: Partial<GenerateOptions> = {}): AdapterRun {
    return new AdapterRun(adapter, this.request(options))
  }

  /** Runs the adapter to its end, whatever that is; only the key may not be told. */
  async run(adapter: LlmAdapter, options: Partial<GenerateOptions> = {}): Promise<AdapterRun> {
    const run = this.start(adapter, options)
    await this.within(run.toEnd(), 'A2', 'the run did not end')
    const tellsKey = JSON.stringify(run.failure)?.includes(contractKey) === true
    must(!tellsKey, 'A3', () => `the failure shows the API key: ${run.describeEnd()}`)
    return run
  }

  /** Bounds a wait: what has not happened by then breaks the rule. */
  within<T>(promise: PromiseLike<T>, rule: ContractRule, seen: string): Promise<T> {
    return within(promise, { rule, seen, patienceMs: this.patienceMs })
  }

  /** An answer with an error status, as this wire words it. */
  refusal(status: number, message: string, headers: Answer['headers'] = {}): Answer {
    const { renderError } = this.wire
    const json = jsonAnswer({ error: { message } }, { status, headers })
    return renderError === undefined ? json : { ...json, chunks: renderError(message) }
  }

  /** Waits until the client has let go of an exchange. */
  async expectLeft(request: ReceivedRequest, after: string): Promise<void> {
    const { by } = await this.within(request.closed, 'A2', `${after} the connection was not closed`)
    must(by === 'client', 'A2', () => `${after} the connection was left to the server to close`)
  }

  close(): Promise<void> {
    return this.started?.close() ?? Promise.resolve()
  }

  private answer(request: ReceivedRequest, position: number): Answer | Promise<Answer> {
    const index = position - this.served
    const step = typeof this.script === 'function' ? this.script : this.script[index]
    if (step === undefined) {
      this.surplus += 1
      return jsonAnswer({ error: { message: 'The check expected no more requests' } }, { status: 500 })
    }
    return typeof step === 'function' ? step(request, index) : step
  }
}

function answerOf(script: ContractScript, requestText: string, index: number): ScriptedAnswer {
  if (typeof script === 'function') return script(requestText)
  return script[index] ?? { text: 'The check expected no more requests' }
}

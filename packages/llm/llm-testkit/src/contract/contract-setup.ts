import type { AdapterRequest, AppIdentity, Clock, GenerateOptions, LlmAdapter, OptionName } from 'dsh-llm'
import type { ScriptedAnswer } from '../scripted/scripted-answer.ts'
import type { Answer } from '../server/answer.ts'
import type { ReceivedRequest } from '../server/received-request.ts'
import type { NeutralAnswer } from '../wire/neutral-answer.ts'

/** What a wire, or an adapter, may honestly lack. Everything else is asked for. */
export type ContractFeature =
  | 'reasoning'
  | 'calls'
  | 'parallel-calls'
  /** Arguments travel as objects, so the blanks between their tokens do not; every digit does. */
  | 'argument-text'
  | 'max-tokens'
  | 'end-marker'
  | 'in-band-error'
  | 'usage'
  | 'cache-usage'
  | 'cache-write-usage'
  | 'reasoning-usage'
  | 'retry-after'
  | 'injected-fetch'

/** With what an adapter is to be built. `undefined` means: the adapter's own default. */
export interface AdapterConnection {
  /** Origin of the server, without a trailing slash. */
  readonly url: string
  /** The key to send; it must turn up in no failure. */
  readonly apiKey: string
  /** Stands still, so no time limit can run out. */
  readonly clock: Clock
  readonly identity: AppIdentity | undefined
  readonly fetch: typeof globalThis.fetch | undefined
}

/** How the adapter keeps what must travel back on the next turn; for adapters that do (A10). */
export interface ReplayExpectation {
  /** A wire answer that carries such state. */
  readonly answer: Answer
  /** Whether the next request brings the state back, as the provider wants it. */
  readonly comesBack: (request: ReceivedRequest) => boolean
  /** The provider's refusal of such state; its failure must be `REPLAY_STATE_REJECTED`. */
  readonly rejection?: Answer | undefined
}

interface ContractFacts {
  /** The route the requests name; `contract` by default. */
  readonly provider?: string | undefined
  /** The model they name; `contract-model` by default. */
  readonly model?: string | undefined
  /** What the wire cannot carry; the checks leave it out. */
  readonly lacks?: readonly ContractFeature[] | undefined
  /** The longest a check may take, in milliseconds of real time; 5,000 by default. Nothing ever waits for it to pass. */
  readonly patienceMs?: number | undefined
}

/** An adapter that speaks to a server over HTTP. */
export interface WireContractSetup extends ContractFacts {
  /** Called once for each check, and again for those that need two. */
  readonly createAdapter: (connection: AdapterConnection) => LlmAdapter
  /**
   * Renders what a model says on the adapter's wire; `chatCompletions` does so for Chat Completions. The same answer must
   * give the same bytes, and texts must stand in them as they are.
   */
  readonly render: (answer: NeutralAnswer) => Answer
  /** The body of an answer with an error status; `{"error": {"message"}}` by default. */
  readonly renderError?: ((message: string) => string) | undefined
  /** A response header with the provider's request id, for wires that have one. */
  readonly requestIdHeader?: string | undefined
  /** Codes by status where the wire's own differ from `docs/failures.md`. */
  readonly errorCodes?: Readonly<Record<number, string>> | undefined
  /** Values for options of which the usual ones would be refused, and for `providerOptions`, which has no usual one. */
  readonly optionSamples?: Partial<Record<OptionName, Partial<GenerateOptions>>> | undefined
  readonly replayState?: ReplayExpectation | undefined
}

/** An adapter without a wire, such as a scripted one or a model in this process. Everything about sockets is left out. */
export interface InProcessContractSetup extends ContractFacts {
  /** Builds the adapter that answers as the script says. */
  readonly scriptAdapter: (script: (request: AdapterRequest, index: number) => ScriptedAnswer) => LlmAdapter
}

export type ContractSetup = WireContractSetup | InProcessContractSetup

export function isWireSetup(setup: ContractSetup): setup is WireContractSetup {
  return 'render' in setup
}

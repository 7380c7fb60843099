import {
  type AdapterRequest,
  type FinishReason,
  type LlmAdapter,
  type LlmFailure,
  normaliseFailure,
  type StreamChunk,
  type TokenUsage,
} from 'dsh-llm'
import { findGrammarFault } from '../stream/find-grammar-fault.ts'
import { fixFor, surroundings } from '../stream/expect-grammar.ts'
import { quote } from '../stream/describe-chunk.ts'
import { ContractError, must } from './contract-rules.ts'

/** One run of an adapter, without the runtime that would correct it. */
export class AdapterRun {
  readonly chunks: StreamChunk[] = []
  /** What it threw, if anything. */
  thrown: unknown = undefined
  hasThrown = false
  private readonly snapshots: string[] = []
  private readonly iterator: AsyncIterator<StreamChunk>

  /** Opens the stream but does not pull. What opening throws, the first pull throws, as the runtime has it. */
  constructor(adapter: LlmAdapter, request: AdapterRequest) {
    this.iterator = open(adapter, request)
  }

  /** Pulls once. False when the run is over, also by a throw. */
  async pull(): Promise<boolean> {
    try {
      const { done, value } = await this.iterator.next()
      if (done === true) return false
      this.chunks.push(value)
      this.snapshots.push(JSON.stringify(value))
      return true
    } catch (error) {
      this.thrown = error
      this.hasThrown = true
      return false
    }
  }

  async toEnd(): Promise<this> {
    while (await this.pull());
    return this
  }

  /** Pulls until some text has come; a run that ends before breaks A3. */
  async toText(): Promise<this> {
    while (this.text === '') {
      const goesOn = await this.pull()
      must(goesOn || this.text !== '', 'A3', () => `the run ended before its first text: ${this.describeEnd()}`)
    }
    return this
  }

  async leave(): Promise<void> {
    await this.iterator.return?.()
  }

  get text(): string {
    return this.chunks.map((chunk) => (chunk?.type === 'text-delta' ? chunk.text : '')).join('')
  }

  /** The last one counts (R6). */
  get usage(): TokenUsage | undefined {
    return this.chunks.findLast((chunk) => chunk?.type === 'usage')?.usage
  }

  get finish(): Extract<StreamChunk, { type: 'finish' }> | undefined {
    return this.chunks.find((chunk) => chunk?.type === 'finish')
  }

  get reason(): FinishReason | undefined {
    return this.finish?.reason
  }

  /** What it threw or finished with, as the runtime would tell it. */
  get failure(): LlmFailure | undefined {
    if (this.hasThrown) return normaliseFailure(this.thrown)
    const { reason } = this
    return reason?.kind === 'error' || reason?.kind === 'aborted' ? reason.failure : undefined
  }

  describeEnd(): string {
    if (this.failure !== undefined) return `${this.failure.code} "${this.failure.message.slice(0, 200)}"`
    return this.reason === undefined ? 'no finish' : quote(this.reason)
  }

  /** That it failed, and under a code of its own. `what` happened is told if it did not. */
  assertFailed(what: string): void {
    const { failure } = this
    const isTold = failure !== undefined && failure.code !== 'UNKNOWN'
    must(isTold, 'A3', () => `${what} ended with ${this.describeEnd()}`)
  }

  /** The grammar, and that no chunk was changed after it came (R12). A throw counts as an end; what came before it must hold. */
  assertGrammar(): void {
    this.assertUnchanged()
    const ended: readonly StreamChunk[] = this.hasThrown
      ? [...this.chunks, { type: 'finish', reason: { kind: 'error', failure: normaliseFailure(this.thrown) } }]
      : this.chunks
    const fault = findGrammarFault(ended, { from: 'adapter' })
    if (fault === undefined) return
    const seen = `chunk ${fault.index}: ${fault.message}\n${surroundings(ended, fault.index)}`
    throw new ContractError({ rule: fault.rule, seen, fix: fixFor(fault.rule) })
  }

  private assertUnchanged(): void {
    const at = this.chunks.findIndex((chunk, index) => JSON.stringify(chunk) !== this.snapshots[index])
    if (at === -1) return
    const seen = `chunk ${at} was ${this.snapshots[at]} and is now ${quote(this.chunks[at])}`
    throw new ContractError({ rule: 'R12', seen, fix: fixFor('R12') })
  }
}

function open(adapter: LlmAdapter, request: AdapterRequest): AsyncIterator<StreamChunk> {
  try {
    return adapter.stream(request)[Symbol.asyncIterator]()
  } catch (error) {
    return { next: () => Promise.reject(error) }
  }
}

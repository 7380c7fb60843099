import {
  type Clock,
  collect,
  createLlm,
  createUserMessage,
  type GenerateOptions,
  type LlmFailure,
  type StreamChunk,
  use,
} from 'dsh-llm'
import { type ReceivedRequest, type ScriptStep, startProviderServer } from 'dsh-llm-testkit'
import type { ProviderConfig } from '../../src/config.ts'
import openaiCompatible from '../../src/index.ts'
import { summary } from './translate-events.ts'

export interface AskOptions {
  readonly config?: Partial<ProviderConfig>
  readonly request?: Partial<GenerateOptions>
  /** Called for each chunk, with how many there have been. */
  readonly onChunk?: (count: number, request: ReceivedRequest | undefined) => void
}

export interface Outcome {
  /** In the words of `summary`. */
  readonly lines: readonly string[]
  readonly failure: LlmFailure | undefined
  readonly chunks: readonly StreamChunk[]
  /** Who ended the exchange on the server's side; absent if no request came. */
  readonly endedBy: 'client' | 'server' | undefined
  readonly requests: readonly ReceivedRequest[]
}

/** One call through runtime, plugin, adapter and a real socket, and the end of that socket. */
export async function ask(answer: ScriptStep, { config, request, onChunk }: AskOptions = {}): Promise<Outcome> {
  await using server = await startProviderServer({ script: [answer] })
  const provider = { baseURL: server.url, ...config }
  await using host = await createLlm({ plugins: [use(openaiCompatible, { providers: { p: provider } })] })
  const chunks: StreamChunk[] = []
  const stream = host.llm.stream({ provider: 'p', model: 'm', messages: [createUserMessage('hi')], ...request })
  await collect(stream, (chunk) => {
    chunks.push(chunk)
    onChunk?.(chunks.length, server.requests[0])
  })
  const finish = chunks.at(-1)
  const failure = finish?.type === 'finish' && 'failure' in finish.reason ? finish.reason.failure : undefined
  const endedBy = (await server.requests[0]?.closed)?.by
  return { lines: summary(chunks), failure, chunks, endedBy, requests: server.requests }
}

/** A clock that moves when told, or by itself: once `run` is called every timer is due as soon as it is set. */
export class StoppedClock implements Clock {
  #now = 0
  #running = false
  readonly #timers = new Set<{ readonly at: number; readonly callback: () => void }>()

  get timerCount(): number {
    return this.#timers.size
  }

  now(): number {
    return this.#now
  }

  schedule(callback: () => void, delayMs: number): () => void {
    const timer = { at: this.#now + delayMs, callback }
    this.#timers.add(timer)
    if (this.#running) setImmediate(() => this.#fire())
    return () => void this.#timers.delete(timer)
  }

  run(): void {
    this.#running = true
    setImmediate(() => this.#fire())
  }

  advance(byMs: number): void {
    const until = this.#now + byMs
    for (const timer of [...this.#timers].filter(({ at }) => at <= until)) {
      this.#timers.delete(timer)
      this.#now = Math.max(this.#now, timer.at)
      timer.callback()
    }
    this.#now = until
  }

  #fire(): void {
    const [next] = [...this.#timers].toSorted((left, right) => left.at - right.at)
    if (next === undefined) return
    this.#timers.delete(next)
    this.#now = Math.max(this.#now, next.at)
    next.callback()
    setImmediate(() => this.#fire())
  }
}

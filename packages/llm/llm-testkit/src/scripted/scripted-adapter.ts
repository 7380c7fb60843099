import {
  abortable,
  type AdapterRequest,
  ALL_OPTIONS,
  type Clock,
  LlmAdapter,
  type OptionName,
  type StreamChunk,
  systemClock,
} from 'dsh-llm'
import { quote } from '../stream/describe-chunk.ts'
import { toChunks } from './answer-chunks.ts'
import type { ScriptedChunks, ScriptedScript, ScriptedStep } from './scripted-answer.ts'

/** What a scripted adapter is beside its script. */
export interface ScriptedAdapterOptions {
  /** The clock of `delaysMs`; the platform's by default. */
  readonly clock?: Clock | undefined
  /** Options it claims to honour; all of them by default. */
  readonly options?: Iterable<OptionName> | undefined
}

/** An adapter without a provider: answers by script and keeps what it was asked. One instance serves any number of calls. */
export class ScriptedAdapter extends LlmAdapter {
  override readonly options: ReadonlySet<OptionName>
  /** What was asked, in order of the first pulls. */
  readonly requests: AdapterRequest[] = []
  private readonly script: ScriptedScript
  private readonly clock: Clock

  constructor(
    script: ScriptedScript,
    { clock = systemClock, options = ALL_OPTIONS }: ScriptedAdapterOptions = {},
  ) {
    super()
    this.script = script
    this.clock = clock
    this.options = new Set(options)
  }

  async *stream(request: AdapterRequest): AsyncGenerator<StreamChunk> {
    const index = this.requests.push(request) - 1
    const { chunks, delaysMs = 0, ignoresAbort, ...pace } = toTimed(await this.step(request, index))
    const signal = ignoresAbort === true ? undefined : request.signal
    const end = pace.end ?? 'close'
    for (const [at, chunk] of chunks.entries()) {
      if (chunk?.type === 'finish' && (end !== 'close' || 'throws' in pace)) continue
      await this.wait(delayAt(delaysMs, at), signal)
      yield chunk
    }
    if ('throws' in pace) throw pace.throws
    if (end === 'hang') await abortable(new Promise<never>(() => {}), signal)
  }

  private step(request: AdapterRequest, index: number): ScriptedStep | Promise<ScriptedStep> {
    if (typeof this.script === 'function') return this.script(request, index)
    const step = this.script[index]
    if (step === undefined)
      throw new RangeError(
        `The script is exhausted: it answers ${this.script.length} and this is call ${index + 1}; add a step`,
      )
    return typeof step === 'function' ? step(request, index) : step
  }

  private async wait(delayMs: number, signal: AbortSignal | undefined): Promise<void> {
    if (delayMs <= 0) return signal?.throwIfAborted()
    const { promise, resolve } = Promise.withResolvers<void>()
    const cancel = this.clock.schedule(resolve, delayMs)
    try {
      await abortable(promise, signal)
    } finally {
      cancel()
    }
  }
}

function delayAt(delaysMs: number | readonly number[], at: number): number {
  return typeof delaysMs === 'number' ? delaysMs : (delaysMs[at] ?? 0)
}

function toTimed(step: ScriptedStep): ScriptedChunks {
  if (typeof step !== 'object' || step === null)
    throw new TypeError(
      `Could not answer by the step ${quote(step)}: give an answer such as { text }, or chunks as a list`,
    )
  if ('chunks' in step) return step
  if (isList(step)) return { chunks: step }
  const { delaysMs, end, ignoresAbort } = step
  const failing = 'throws' in step ? { throws: step.throws } : undefined
  return { chunks: toChunks(step), delaysMs, end, ignoresAbort, ...failing }
}

function isList(step: ScriptedStep): step is readonly StreamChunk[] {
  return Array.isArray(step)
}

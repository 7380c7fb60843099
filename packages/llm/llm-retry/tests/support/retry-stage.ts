import {
  createFailure,
  createLlm,
  createUserMessage,
  type FailureFacts,
  type GenerateOptions,
  type Llm,
  type PluginUse,
  type StreamChunk,
  use,
} from 'dsh-llm'
import { collectChunks, type FakeClock, fakeClock, ScriptedAdapter, type ScriptedScript } from 'dsh-llm-testkit'
import retry, { type RetryConfig } from '../../src/index.ts'

export const request: GenerateOptions = { provider: 'p', model: 'm', messages: [createUserMessage('hi')] }

/** A step that fails with this code before it says anything. */
export function fails(code: string, facts: FailureFacts = {}): readonly StreamChunk[] {
  return [{ type: 'finish', reason: { kind: 'error', failure: createFailure(`it is ${code}`, code, facts) } }]
}

/** A step that says some chunks and then fails. */
export function failsAfter(chunks: readonly StreamChunk[], code = 'SERVER'): readonly StreamChunk[] {
  return [...chunks, ...fails(code)]
}

export interface Stage extends Llm {
  readonly adapter: ScriptedAdapter
  readonly clock: FakeClock
}

export interface StageOptions {
  readonly config?: RetryConfig | undefined
  readonly plugins?: readonly PluginUse[]
  /** What `Math.random` would say; 1 by default, so that waits are as long as they can be. */
  readonly random?: () => number
}

/** A runtime with a scripted adapter under `p`, a clock that stands still and the plugin. */
export async function createStage(
  script: ScriptedScript,
  { config = {}, plugins = [], random = () => 1 }: StageOptions = {},
): Promise<Stage> {
  const clock = fakeClock()
  const adapter = new ScriptedAdapter(script, { clock })
  const host = await createLlm({
    plugins: [registers('p', adapter), use(retry, { random, ...config }), ...plugins],
    runtime: { clock },
  })
  return { ...host, adapter, clock }
}

/** A plugin that gives a route to an adapter. */
export function registers(route: string, adapter: ScriptedAdapter): PluginUse {
  return use({
    name: `adapter of ${route}`,
    inject: ['llm'],
    apply: (ctx) => void ctx.llm.registerAdapter([route], adapter),
  })
}

/** Reads a stream to its end while time passes by itself. */
export async function readAll(
  { llm, clock }: Pick<Stage, 'llm' | 'clock'>,
  options: Partial<GenerateOptions> = {},
): Promise<readonly StreamChunk[]> {
  const reading = collectChunks(llm.stream({ ...request, ...options }))
  const [chunks] = await Promise.all([reading, clock.runAll()])
  return chunks
}

/** Chunks in short words: `start 0 text`, `"Hi"`, `attempt 2 SERVER 500`, `finish stop`. */
export function toWords(chunks: readonly StreamChunk[]): readonly string[] {
  return chunks.map((chunk) => {
    switch (chunk.type) {
      case 'block-start':
        return `start ${chunk.index} ${chunk.blockType}`
      case 'text-delta':
      case 'reasoning-delta':
        return `"${chunk.text}"`
      case 'tool-call-delta':
        return `call "${chunk.argumentsDelta}"`
      case 'block-end':
        return `end ${chunk.index}`
      case 'usage':
        return `usage ${chunk.usage.outputTokens}`
      case 'attempt':
        return `attempt ${chunk.attempt} ${chunk.failure.code} ${chunk.delayMs}`
      case 'finish': {
        const { reason } = chunk
        return 'failure' in reason ? `finish ${reason.kind} ${reason.failure.code}` : `finish ${reason.kind}`
      }
    }
  })
}

/** The message of the failure a stream ended with. */
export function messageOf(chunks: readonly StreamChunk[]): string | undefined {
  const last = chunks.at(-1)
  return last?.type === 'finish' && 'failure' in last.reason ? last.reason.failure.message : undefined
}

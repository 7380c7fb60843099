import {
  collect,
  type CollectedAnswer,
  createFailure,
  createLlm,
  createUserMessage,
  type GenerateOptions,
  type Llm,
  type OptionName,
  type PluginUse,
  type StreamChunk,
  use,
} from 'dsh-llm'
import { type FakeClock, fakeClock, ScriptedAdapter, type ScriptedScript } from 'dsh-llm-testkit'
import route, { type RouteConfig } from '../../src/index.ts'

export const request: GenerateOptions = { provider: 'a', model: 'm', messages: [createUserMessage('hi')] }

/** A step that fails with this code, after some chunks. */
export function fails(code: string, chunks: readonly StreamChunk[] = []): readonly StreamChunk[] {
  const failure = createFailure(`it is ${code}`, code)
  return [...chunks, { type: 'finish', reason: { kind: 'error', failure } }]
}

export interface Stage extends Llm {
  readonly adapters: Readonly<Record<string, ScriptedAdapter>>
  readonly clock: FakeClock
}

export interface StageOptions {
  readonly config: RouteConfig
  readonly plugins?: readonly PluginUse[]
  /** Options that the adapter of a route honours; all by default. */
  readonly options?: Readonly<Record<string, readonly OptionName[]>>
}

/** A runtime with one scripted adapter per provider, a clock that stands still and the plugin. */
export async function createStage(
  scripts: Readonly<Record<string, ScriptedScript>>,
  { config, plugins = [], options = {} }: StageOptions,
): Promise<Stage> {
  const clock = fakeClock()
  const adapters = Object.fromEntries(
    Object.entries(scripts).map(([provider, script]) => [
      provider,
      new ScriptedAdapter(script, { clock, options: options[provider] }),
    ]),
  )
  const registering = use({
    name: 'adapters',
    inject: ['llm'],
    apply(ctx) {
      for (const [provider, adapter] of Object.entries(adapters)) ctx.llm.registerAdapter([provider], adapter)
    },
  })
  const host = await createLlm({
    plugins: [registering, use(route, config), ...plugins],
    runtime: { clock },
  })
  return { ...host, adapters, clock }
}

export interface Answer extends CollectedAnswer {
  readonly chunks: readonly StreamChunk[]
  /** Attempts in short words: `2 SERVER → b/m`, or with a delay where the route stays. */
  readonly switches: readonly string[]
}

/** Reads a stream to its end while time passes by itself. */
export async function ask(
  { llm, clock }: Pick<Stage, 'llm' | 'clock'>,
  options: Partial<GenerateOptions> = {},
): Promise<Answer> {
  const chunks: StreamChunk[] = []
  const reading = collect(llm.stream({ ...request, ...options }), (chunk) => chunks.push(chunk))
  const [answer] = await Promise.all([reading, clock.runAll()])
  return { ...answer, chunks, switches: chunks.flatMap(toSwitch) }
}

function toSwitch(chunk: StreamChunk): readonly string[] {
  if (chunk.type !== 'attempt') return []
  const { attempt, failure, next, delayMs } = chunk
  return [`${attempt} ${failure.code} ${next === undefined ? delayMs : `→ ${next.provider}/${next.model}`}`]
}

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  createLlm,
  createUserMessage,
  type GenerateOptions,
  type Llm,
  MessageId,
  type PluginUse,
  type StreamChunk,
  use,
} from 'dsh-llm'
import { collectChunks, type FakeClock, fakeClock, ScriptedAdapter, type ScriptedScript } from 'dsh-llm-testkit'
import replay, { type ReplayConfig } from '../../src/index.ts'

/** A recording in a folder of its own, which goes with it. */
export class TestFile implements Disposable {
  readonly #folder = mkdtempSync(join(tmpdir(), 'dsh-replay-'))
  readonly path: string = join(this.#folder, 'calls.jsonl')

  get text(): string {
    return readFileSync(this.path, 'utf8')
  }

  get lines(): readonly string[] {
    return this.text.trimEnd().split('\n')
  }

  write(text: string): void {
    writeFileSync(this.path, text)
  }

  [Symbol.dispose](): void {
    rmSync(this.#folder, { recursive: true })
  }
}

export function toRequest(text: string, more: Partial<GenerateOptions> = {}): GenerateOptions {
  return { provider: 'p', model: 'm', messages: [createUserMessage(text, { id: MessageId('u') })], ...more }
}

export interface Stage extends Llm {
  readonly clock: FakeClock
  ask(request: GenerateOptions): Promise<StreamChunk[]>
}

export interface StageOptions {
  /** What a scripted adapter under `p` says; none is there without it. */
  readonly script?: ScriptedScript | undefined
  readonly plugins?: readonly PluginUse[] | undefined
}

/** A runtime with the plugin, and a clock that stands still. */
export async function openStage(
  config: ReplayConfig,
  { script, plugins = [] }: StageOptions = {},
): Promise<Stage> {
  const clock = fakeClock()
  const adapters = script === undefined ? [] : [registers('p', new ScriptedAdapter(script, { clock }))]
  const host = await createLlm({ plugins: [...adapters, use(replay, config), ...plugins], runtime: { clock } })
  return { ...host, clock, ask: (request) => collectChunks(host.llm.stream(request)) }
}

/** Records one answer for each request, in order. */
export async function record(
  file: TestFile,
  calls: readonly (readonly [GenerateOptions, string])[],
  config: Partial<ReplayConfig> = {},
): Promise<void> {
  const script = calls.map(([, text]) => ({ text }))
  await using stage = await openStage({ file: file.path, mode: 'record', ...config }, { script })
  for (const [request] of calls) await stage.ask(request)
}

/** A plugin that gives a route to an adapter. */
export function registers(route: string, adapter: ScriptedAdapter): PluginUse {
  return use({
    name: `adapter of ${route}`,
    inject: ['llm'],
    apply: (ctx) => void ctx.llm.registerAdapter([route], adapter),
  })
}

export function textOf(chunks: readonly StreamChunk[]): string {
  return chunks.map((chunk) => (chunk.type === 'text-delta' ? chunk.text : '')).join('')
}

/** Code and message of the failure a stream ended with. */
export function failureOf(chunks: readonly StreamChunk[]): { readonly code: string; readonly message: string } {
  const last = chunks.at(-1)
  if (last?.type === 'finish' && 'failure' in last.reason) return last.reason.failure
  return { code: last?.type === 'finish' ? last.reason.kind : 'none', message: '' }
}

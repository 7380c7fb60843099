import { Context, type Fiber, type Waterfall } from 'dsh-context'
import {
  createUserMessage,
  type GenerateOptions,
  type LlmAdapter,
  LlmRuntime,
  type StreamChunk,
} from '../../src/index.ts'
import { FakeClock } from './fake-clock.ts'
import { type Answer, FunctionAdapter } from './function-adapter.ts'

export type StreamListener = Waterfall<[request: GenerateOptions], AsyncIterable<StreamChunk>>

/** A runtime on a fake clock, with what `internal/error` hears as `[plugin, error]`. */
export interface TestLlm {
  readonly ctx: Context
  readonly llm: LlmRuntime
  readonly clock: FakeClock
  readonly errors: [plugin: string, error: unknown][]
  /** Loads a plugin of that name whose one listener may be anything. */
  listen(plugin: string, listener: unknown, priority?: number): Fiber
  /** Loads a plugin of that name that owns the routes. */
  own(plugin: string, providers: readonly string[], adapter: LlmAdapter): Fiber
}

/** Starts one whose provider `p`, owned by the plugin `adapter-plugin`, answers as told. */
export async function startTestLlm(answer?: Answer): Promise<TestLlm> {
  const ctx = new Context()
  const clock = new FakeClock()
  const runtime = ctx.plugin(LlmRuntime, { clock, drainMs: 5_000, cleanupMs: 1_000 })
  await runtime
  const errors: [string, unknown][] = []
  ctx.on('internal/error', (error, { plugin }) => void errors.push([plugin, error]))
  const test: TestLlm = {
    ctx,
    llm: ctx.llm,
    clock,
    errors,
    listen: (name, listener, priority = 0) =>
      ctx.plugin({
        name,
        apply: (plugin) => void plugin.on('llm/stream', listener as StreamListener, { priority }),
      }),
    own: (name, providers, adapter) =>
      ctx.plugin({
        name,
        inject: ['llm'],
        apply: (plugin) => void plugin.llm.registerAdapter(providers, adapter),
      }),
  }
  if (answer !== undefined) await test.own('adapter-plugin', ['p'], new FunctionAdapter(answer))
  return test
}

/** A request to provider `p`. */
export function ask(options: Partial<GenerateOptions> = {}): GenerateOptions {
  return { provider: 'p', model: 'm', messages: [createUserMessage('hello')], ...options }
}

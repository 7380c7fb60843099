import { createLlm, createUserMessage, type GenerateOptions, type Llm, use } from 'dsh-llm'
import {
  type Answer,
  chatCompletions,
  deepseekDialect,
  type NeutralAnswer,
  type ProviderServer,
  startProviderServer,
} from 'dsh-llm-testkit'
import deepseek, { type DeepSeekConfig } from '../src/index.ts'

/** A stream as DeepSeek sends it. */
export function deepSeekAnswer(answer: NeutralAnswer, headers: Record<string, string> = {}): Answer {
  return { chunks: chatCompletions(answer, deepseekDialect), headers }
}

/** A runtime whose only plugin is DeepSeek, before a server that answers by script. */
export interface Stage extends AsyncDisposable {
  readonly server: ProviderServer
  readonly llm: Llm['llm']
}

export async function stage(script: readonly Answer[], config: DeepSeekConfig = {}): Promise<Stage> {
  const server = await startProviderServer({ script })
  const plugin = use(deepseek, { baseURL: server.url, apiKey: 'sk-test', ...config })
  const { llm, dispose } = await createLlm({ plugins: [plugin] })
  const end = async (): Promise<void> => {
    await dispose()
    await server.close()
  }
  return { server, llm, [Symbol.asyncDispose]: end }
}

export const question = (options: Partial<GenerateOptions> = {}): GenerateOptions => ({
  provider: 'deepseek',
  model: 'deepseek-flash',
  messages: [createUserMessage('hi')],
  ...options,
})

export const clock = { name: 'clock', description: 'Tells the time', parameters: { type: 'object' } }

import {
  CallId,
  createAssistantMessage,
  createLlm,
  createToolResultMessage,
  createUserMessage,
  type GenerateOptions,
  type Llm,
  type LlmFailure,
  type Message,
  use,
} from 'dsh-llm'
import {
  type Answer,
  anthropicMessages,
  chatCompletions,
  chatDialects,
  gemini,
  type NeutralAnswer,
  openaiResponses,
  type ProviderServer,
  startProviderServer,
} from 'dsh-llm-testkit'
import piAi, { type ApiName, type PiAiProviderConfig } from '../../src/index.ts'

/** The APIs whose requests leave by our own transport and whose answers the testkit renders. */
export type WireName = Extract<
  ApiName,
  | 'openai-completions'
  | 'openai-responses'
  | 'anthropic-messages'
  | 'google-generative-ai'
  | 'mistral-conversations'
>

interface Wire {
  /** What stands behind the server's origin in `baseURL`. */
  readonly basePath: string
  readonly render: (answer: NeutralAnswer) => readonly string[]
}

export const wires: Readonly<Record<WireName, Wire>> = {
  'openai-completions': { basePath: '/v1', render: (answer) => chatCompletions(answer) },
  'openai-responses': { basePath: '/v1', render: (answer) => openaiResponses(answer) },
  'anthropic-messages': { basePath: '', render: (answer) => anthropicMessages(answer) },
  'google-generative-ai': { basePath: '/v1beta', render: (answer) => gemini(answer) },
  'mistral-conversations': {
    basePath: '',
    render: (answer) => chatCompletions(answer, chatDialects.mistral),
  },
}

/** The four whose bodies are held whole. */
export const fourWires = [
  'openai-completions',
  'openai-responses',
  'anthropic-messages',
  'google-generative-ai',
] as const satisfies readonly WireName[]

/** A runtime with the plugin and one route, before a server that answers by script. */
export interface Stage extends AsyncDisposable {
  readonly server: ProviderServer
  readonly llm: Llm['llm']
  /** Asks and gives the body that was sent. */
  body(options?: Partial<GenerateOptions>): Promise<Record<string, unknown>>
  /** Asks and gives the failure; fails itself if there is none. */
  failure(options?: Partial<GenerateOptions>): Promise<LlmFailure>
}

export interface StageSetup {
  readonly wire: WireName
  /** "fine" for every request by default. */
  readonly script?: readonly Answer[] | undefined
  readonly config?: PiAiProviderConfig | undefined
  /** `m1` by default. */
  readonly model?: string | undefined
}

/** A server that is declared whole; `config` may name a provider of the catalogue in its place. */
export async function stage({ wire, script, config = {}, model = 'm1' }: StageSetup): Promise<Stage> {
  const { basePath, render } = wires[wire]
  const server = await startProviderServer({ script: script ?? (() => ({ chunks: render({ text: 'fine' }) })) })
  const declared = { api: wire, models: [{ id: model, reasoning: true, maxTokens: 4096 }] }
  const route = {
    ...(config.provider === undefined && declared),
    baseURL: server.url + basePath,
    apiKey: 'k-test-SENTINEL',
    ...config,
  }
  const { llm, dispose } = await createLlm({ plugins: [use(piAi, { providers: { route } })] })
  const ask = (options: Partial<GenerateOptions> = {}): GenerateOptions => ({
    provider: 'route',
    model,
    messages: [createUserMessage('hi')],
    ...options,
  })
  return {
    server,
    llm,
    async body(options) {
      const count = server.requests.length
      const { finish } = await llm.generate(ask(options))
      const json = server.requests[count]?.json
      if (typeof json !== 'object' || json === null) throw new Error(`No body: ${JSON.stringify(finish)}`)
      return { ...json }
    },
    async failure(options) {
      const { reason } = (await llm.generate(ask(options))).finish
      if (reason.kind !== 'error') throw new Error(`No failure: ${JSON.stringify(reason)}`)
      return reason.failure
    },
    async [Symbol.asyncDispose]() {
      await dispose()
      await server.close()
    },
  }
}

/** A call and what came of it. */
export interface PastCall {
  readonly id: string
  readonly name?: string | undefined
  readonly arguments?: string | undefined
  readonly result?: string | undefined
  readonly isError?: boolean | undefined
}

/** The turn of a model that called tools, and the results. */
export function called(...calls: readonly PastCall[]): Message[] {
  const content = calls.map(({ id, name = 'look', arguments: text = '{}' }) => ({
    type: 'tool-call' as const,
    id: CallId(id),
    name,
    arguments: text,
  }))
  const source = { kind: 'model' as const, provider: 'route', model: 'm1' }
  return [
    createAssistantMessage({ content, source }),
    ...calls.map(({ id, result = 'done', isError }) =>
      createToolResultMessage({ callId: CallId(id), content: result, isError }),
    ),
  ]
}

export const look = {
  name: 'look',
  description: 'Looks',
  parameters: { type: 'object', properties: { a: { type: 'number' } } },
}

export const illegal = { name: 'files.read!', description: 'Reads', parameters: { type: 'object' } }

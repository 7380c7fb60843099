import { createLlm, createUserMessage, type LlmRuntime, use } from 'dsh-llm'
import { type Answer, startProviderServer } from 'dsh-llm-testkit'
import piAi from '../../src/index.ts'
import { type WireName, wires } from './requests-support.ts'

type Outcome = Awaited<ReturnType<LlmRuntime['generate']>>

/** What the adapter makes of one answer on a wire. */
export async function ask(api: WireName, answer: Answer): Promise<Outcome> {
  await using server = await startProviderServer({ script: [answer] })
  const route = { api, baseURL: server.url + wires[api].basePath, apiKey: 'k' }
  await using host = await createLlm({ plugins: [use(piAi, { providers: { route } })] })
  return await host.llm.generate({ provider: 'route', model: 'm', messages: [createUserMessage('Hi')] })
}

/** Blocks as type and text, and how it ended. */
export function summaryOf({ message, finish, usage }: Outcome): object {
  const content = (message?.content ?? []).map((block) => {
    if (block.type === 'tool-call') return `${block.name}(${block.arguments})`
    return 'text' in block ? `${block.type}: ${block.text}` : block.type
  })
  return { content, end: finish.failure?.code ?? finish.kind, usage }
}

/** An event of a wire that names them. */
export const event = (type: string, more: object) => ({ type, ...more })

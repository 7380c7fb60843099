import {
  BlockAssembler,
  type ContentBlock,
  createLlm,
  createUserMessage,
  type Llm,
  type LlmRuntime,
  type PluginUse,
  use,
} from 'dsh-llm'
import openaiCompatible from 'dsh-llm-openai-compatible'

/** The whole stack with one route per workload, named after it, and whatever plugins stand around it. */
export function createStack(
  urlOf: (workload: string) => string,
  names: readonly string[],
  plugins: readonly PluginUse[] = [],
): Promise<Llm> {
  const providers = Object.fromEntries(names.map((name) => [name, { baseURL: urlOf(name), apiKey: 'none' }]))
  return createLlm({ plugins: [use(openaiCompatible, { providers }), ...plugins] })
}

const messages = [createUserMessage('Go')]

/** `generate`: the stream, its boundary and its assembly. Gives the units it received. */
export async function generateAnswer(llm: LlmRuntime, provider: string): Promise<number> {
  const { message, finish } = await llm.generate({ provider, model: 'm', messages })
  if (message === undefined) throw new Error(`The answer failed: ${finish.failure?.message}`)
  return lengthOf(message.content)
}

/** `for await` with an assembler, as a loop does that shows chunks while they come. */
export async function streamAnswer(llm: LlmRuntime, provider: string): Promise<number> {
  const assembler = new BlockAssembler()
  for await (const chunk of llm.stream({ provider, model: 'm', messages })) assembler.push(chunk)
  return lengthOf(assembler.blocks())
}

function lengthOf(blocks: readonly ContentBlock[]): number {
  let length = 0
  for (const block of blocks) {
    if (block.type === 'tool-call') length += block.arguments.length
    else if (block.type === 'text' || block.type === 'reasoning') length += block.text.length
  }
  return length
}

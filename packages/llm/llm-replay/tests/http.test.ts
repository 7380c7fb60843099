import { type CollectedAnswer, createLlm, type Llm, use } from 'dsh-llm'
import openaiCompatible from 'dsh-llm-openai-compatible'
import { type ProviderServer, startProviderServer } from 'dsh-llm-testkit'
import { describe, expect, it } from 'vitest'
import replay from '../src/index.ts'
import { TestFile } from './support/stage.ts'
import { type Change, reorderedTools, runToolSession, toolScript } from './support/tool-session.ts'

const apiKey = 'sk-never-in-a-file-0123456789'

function open(url: string, file: TestFile, mode: 'record' | 'replay'): Promise<Llm> {
  const providers = { p: { baseURL: url, apiKey } }
  return createLlm({ plugins: [use(openaiCompatible, { providers }), use(replay, { mode, file: file.path })] })
}

/** Records the session over a real socket; the server is closed by then. */
async function recordSession(
  file: TestFile,
): Promise<{ answers: readonly CollectedAnswer[]; server: ProviderServer }> {
  await using server = await startProviderServer({ script: toolScript })
  await using host = await open(server.url, file, 'record')
  return { answers: await runToolSession(host.llm), server }
}

/** Without ids, which are minted in each run. */
function comparable(answers: readonly CollectedAnswer[]): unknown {
  return answers.map(({ message, ...rest }) => ({
    ...rest,
    content: message?.content,
    source: message?.source,
  }))
}

const drifts: readonly (readonly [string, Change, { readonly part: string; readonly line: number }])[] = [
  ['a changed system prompt', { more: { system: 'Be brief' } }, { part: 'system', line: 2 }],
  ['a reordered tool', { more: { tools: reorderedTools } }, { part: 'tools[0] (name)', line: 2 }],
  [
    'an edited message',
    { toolResult: (round) => (round === 2 ? 'broken' : 'fine') },
    { part: 'messages[4] (content[0].content[0].text)', line: 4 },
  ],
  ['a changed temperature', { more: { temperature: 0.6 } }, { part: 'temperature', line: 2 }],
]

describe('a tool session of three steps, recorded over HTTP', () => {
  it('is replayed with the network closed, with and without its adapter', async () => {
    using file = new TestFile()
    const { answers, server } = await recordSession(file)
    expect(server.requests).toHaveLength(3)
    expect(answers.map(({ finish }) => finish?.kind)).toEqual(['tool-calls', 'tool-calls', 'stop'])
    expect(file.text).not.toContain(apiKey)
    await using beside = await open(server.url, file, 'replay')
    await using alone = await createLlm({ plugins: [use(replay, { mode: 'replay', file: file.path })] })
    for (const { llm, ctx } of [beside, alone]) {
      expect(comparable(await runToolSession(llm))).toEqual(comparable(answers))
      ctx.llmReplay.assertConsumed()
    }
  })

  it.each(drifts)('names exactly the part that drifted: %s', async (_name, change, { part, line }) => {
    using file = new TestFile()
    await recordSession(file)
    await using host = await createLlm({ plugins: [use(replay, { mode: 'replay', file: file.path })] })
    const last = (await runToolSession(host.llm, change)).at(-1)
    expect(last?.finish.failure?.code).toBe('REPLAY_DIVERGED')
    expect(last?.finish.failure?.message).toContain(
      `line ${line} of the recording ${file.path} in ${part}: recorded`,
    )
  })
})

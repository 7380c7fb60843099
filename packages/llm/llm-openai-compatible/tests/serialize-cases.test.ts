import {
  CallId,
  type ContentBlock,
  createMessage,
  createToolResultMessage,
  LlmRuntime,
  type Message,
  type MessageRole,
} from 'dsh-llm'
import { Context } from 'dsh-context'
import { afterAll, describe, expect, it } from 'vitest'
import { startProviderServer } from 'dsh-llm-testkit'
import { createDialect, type Dialect } from '../src/dialect.ts'
import { dialects } from '../src/dialects.ts'
import openaiCompatible from '../src/index.ts'
import { HandedCaseLog, readHandedCases } from '../../../../.tools/tests/handed-cases.ts'
import { answers, type CaseOptions, type SentRequest } from './support/request-case-answers.ts'

interface CaseInput {
  readonly kind: string
  readonly options: CaseOptions
}

const cases = readHandedCases<CaseInput>().filter(({ id }) => id in answers)
const log = new HandedCaseLog()

afterAll(() => log.write('openai-compatible', 'serialize-cases'))

describe('handed request cases', () => {
  it('come from a file that is either absent or whole', () => {
    expect(cases.length === 0 || cases.length === Object.keys(answers).length).toBe(true)
  })

  it.each(cases)('$id: $symptom', ({ id, area, input: { options } }) =>
    log.check(id, async () => {
      const rows = options.cases ?? [options]
      for (const row of rows) answers[id]?.(await send(row, dialectOf(area, row)), row)
    }),
  )
})

/** What reaches the server through the whole runtime, or the failure that kept it back. */
async function send(options: CaseOptions, dialect: Dialect): Promise<SentRequest> {
  await using server = await startProviderServer({ script: [{ chunks: 'data: [DONE]\n\n' }] })
  const ctx = new Context()
  await ctx.plugin(LlmRuntime)
  await ctx.plugin(openaiCompatible, { providers: { p: { baseURL: server.url, dialect } } })
  const { messages = [{ role: 'user', content: [{ type: 'text', text: 'hi' }] }], tools, toolChoice } = options
  const request = {
    provider: 'p',
    model: options.model ?? 'm',
    messages: messages.map(toMessage),
    system: options.system,
    tools: tools?.map((tool) => ({ description: '', ...tool })),
    toolChoice: toolChoice === undefined ? undefined : { name: toolChoice.name },
    maxTokens: options.maxTokens,
  }
  const before = structuredClone(request)
  const { finish } = await ctx.llm.generate(request)
  await ctx.dispose()
  expect(request).toEqual(before)
  const [received] = server.requests
  const code = finish.reason.kind === 'error' ? finish.reason.failure.code : undefined
  return { body: received === undefined ? undefined : Object(received.json), code }
}

function toMessage({ role, content, toolCallId }: NonNullable<CaseOptions['messages']>[number]): Message {
  // Blocks as the case has them, stray fields included.
  const blocks = content as readonly ContentBlock[]
  if (role === 'tool') return createToolResultMessage({ callId: CallId(toolCallId ?? ''), content: blocks })
  const known: MessageRole = role === 'user' || role === 'assistant' ? role : 'system'
  const source = known === 'assistant' ? { provider: 'other', model: 'other' } : { plugin: 'case' }
  const kind = known === 'assistant' ? 'model' : 'plugin'
  return createMessage({ role: known, content: blocks, source: { kind, ...source } as Message['source'] })
}

function dialectOf(area: string, { profile, compat }: CaseOptions): Dialect {
  if (compat?.toolCallIdFormat === 'alnum9') return dialects.mistral
  if (compat?.supportsUsageInStreaming === false) {
    return createDialect({ name: 'strict', request: { asksForUsage: false } })
  }
  if (profile !== undefined) return dialects[profile]
  return area === 'deepseek' ? dialects.deepseek : dialects.generic
}

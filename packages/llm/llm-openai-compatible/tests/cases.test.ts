import { createUserMessage, type LlmFailure, normaliseFailure, type StreamChunk } from 'dsh-llm'
import { afterAll, describe, expect, it } from 'vitest'
import { type Answer, startProviderServer } from 'dsh-llm-testkit'
import { OpenAiCompatibleAdapter } from '../src/adapter.ts'
import { createDialect, type Dialect } from '../src/dialect.ts'
import { dialects } from '../src/dialects.ts'
import { streamAnswers, tableAnswers } from './support/case-answers.ts'
import { HandedCaseLog, readHandedCases } from '../../../../.tools/tests/handed-cases.ts'
import { summary } from './support/translate-events.ts'

interface CaseInput {
  readonly kind: string
  readonly adapter?: string
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  readonly chunks?: readonly string[]
  readonly chunksHex?: readonly string[]
  readonly body?: string
  readonly end?: 'close' | 'reset' | 'hang'
  readonly config?: { readonly apiKey?: string; readonly extractThinkTags?: boolean }
}

const cases = readHandedCases<CaseInput>()
const streams = cases.filter(({ id }) => id in streamAnswers)
const tables = cases.flatMap(({ id, input }) =>
  (tableAnswers[id]?.(input) ?? []).map((row) => ({ id, ...row })),
)
const log = new HandedCaseLog()

afterAll(() => log.write('openai-compatible', 'cases'))

describe('handed cases', () => {
  it('come from a file that is either absent or whole', () => {
    expect(cases.length === 0 || streams.length === Object.keys(streamAnswers).length).toBe(true)
  })

  it.each(streams)('$id: $symptom', ({ id, input }) =>
    log.check(id, async () => {
      const expected = streamAnswers[id] ?? []
      const { lines, failure, usage } = await answerOf(toAnswer(input), input)
      const facts = new Set([...lines, ...factsOf(failure), ...usage])
      const known = expected.filter((line) => facts.has(line) || failure?.message.includes(line) === true)
      expect(known).toEqual(expected)
      expect(expected.filter((line) => lines.includes(line))).toEqual(lines)
      expect(failure?.message ?? '').not.toMatch(/SENTINEL|<html|\[object|undefined/)
    }),
  )

  it.each(tables)('$id: $status $body is $code', ({ id, status, body, code, says }) =>
    log.check(id, async () => {
      const headers = { 'content-type': 'application/json' }
      const { failure } = await answerOf({ status, headers, chunks: body })
      expect(failure).toMatchObject({ status, code })
      expect(failure?.message).toContain(says)
      expect(failure?.message).not.toMatch(/\[object|undefined/)
    }),
  )
})

function toAnswer({ status, headers, chunks, chunksHex, body, end }: CaseInput): Answer {
  const bytes = chunksHex?.map((hex) => Uint8Array.from(Buffer.from(hex, 'hex')))
  return { status, headers, chunks: bytes ?? chunks ?? body, end }
}

interface CaseAnswer {
  readonly lines: readonly string[]
  readonly failure: LlmFailure | undefined
  readonly usage: readonly string[]
}

async function answerOf(
  answer: Answer,
  { adapter = '', config }: Partial<CaseInput> = {},
): Promise<CaseAnswer> {
  await using server = await startProviderServer({ script: [answer] })
  const dialect = dialectOf(adapter, config?.extractThinkTags === true)
  const apiKey = config?.apiKey ?? 'sk-1'
  const model = new OpenAiCompatibleAdapter({
    baseURL: server.url,
    dialect,
    apiKey,
    limits: { errorBodyMs: 50 },
  })
  const request = {
    provider: 'p',
    model: 'm',
    messages: [createUserMessage('hi')],
    signal: new AbortController().signal,
  }
  const chunks: StreamChunk[] = []
  try {
    for await (const chunk of model.stream(request)) chunks.push(chunk)
  } catch (error) {
    chunks.push({ type: 'finish', reason: { kind: 'error', failure: normaliseFailure(error) } })
  }
  const finish = chunks.at(-1)
  const failure = finish?.type === 'finish' && 'failure' in finish.reason ? finish.reason.failure : undefined
  const usage = chunks.flatMap((chunk) =>
    chunk.type === 'usage' ? [`usage ${JSON.stringify(chunk.usage)}`] : [],
  )
  return { lines: summary(chunks), failure, usage }
}

function dialectOf(adapter: string, extractsThinkTags: boolean): Dialect {
  const inlineReasoning = { open: '<think>', close: '</think>' }
  if (extractsThinkTags) return createDialect({ name: 'think', response: { inlineReasoning } })
  return adapter === 'deepseek' ? dialects.deepseek : dialects.generic
}

function factsOf(failure: LlmFailure | undefined): readonly string[] {
  if (failure === undefined) return []
  return [`status ${failure.status}`, `wait ${failure.providerRetryAfterMs}`]
}

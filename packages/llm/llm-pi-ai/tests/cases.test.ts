import {
  type AdapterRequest,
  createLlm,
  createUserMessage,
  type GenerateOptions,
  type StreamChunk,
  use,
} from 'dsh-llm'
import retry from 'dsh-llm-retry'
import { chatCompletions, collectChunks, jsonAnswer, startProviderServer } from 'dsh-llm-testkit'
import { afterAll, describe, expect, it } from 'vitest'
import { toTextFailure } from '../src/failure.ts'
import piAi, { type PiAiProviderConfig } from '../src/index.ts'
import type { OpenPiStream, PiEvent, PiMessage } from '../src/pi-api.ts'
import { HandedCaseLog, readHandedCases } from '../../../../.tools/tests/handed-cases.ts'
import { PlayedAdapter } from './support/played-adapter.ts'
import { piMessage, playing } from './support/pi-stream.ts'

const textFacts = { redact: String, stage: 'sent' as const, isCutEvent: false }

const request: GenerateOptions = { provider: 'p', model: 'm', messages: [createUserMessage('Hi')] }

/** What an adapter makes of events of pi-ai, without any wire. */
async function play(openStream: OpenPiStream): Promise<readonly StreamChunk[]> {
  await using host = await createLlm()
  host.ctx.llm.registerAdapter(['p'], new PlayedAdapter('anthropic-messages', openStream))
  return collectChunks(host.llm.stream(request))
}

/** What a conversation of one turn over a real wire ends with, and how many requests it took. */
async function ask(config: Partial<PiAiProviderConfig>, answers: Parameters<typeof startProviderServer>[0]) {
  await using server = await startProviderServer(answers)
  const route = { api: 'openai-completions' as const, baseURL: `${server.url}/v1`, ...config }
  await using host = await createLlm({ plugins: [use(piAi, { providers: { p: route } })] })
  const answer = await host.llm.generate(request)
  return { ...answer, requests: server.requests.length }
}

/** Handed scenarios by id; each is a script of its own. */
const scenarios: Readonly<Record<string, () => Promise<void>>> = {
  async 'pi-done-with-cut-arguments'() {
    const call = { type: 'toolCall' as const, id: 'c', name: 'read', arguments: {} }
    const partial = piMessage({ content: [call], stopReason: 'toolUse' })
    const events: readonly PiEvent[] = [
      { type: 'start', partial },
      { type: 'toolcall_start', contentIndex: 0, partial },
      { type: 'toolcall_delta', contentIndex: 0, delta: '{"path":"a","te', partial },
      { type: 'done', reason: 'toolUse', message: partial },
    ]
    const chunks = await play(playing(events))
    expect(chunks).toContainEqual(expect.objectContaining({ argumentsDelta: '{"path":"a","te' }))
    expect(chunks.some(({ type }) => type === 'block-end')).toBe(false)
    expect(chunks.at(-1)).toMatchObject({ reason: { kind: 'error', failure: { code: 'MALFORMED_RESPONSE' } } })
  },

  async 'pi-usage-mapping'() {
    const usage = { ...piMessage({}).usage, input: 10, output: 5, cacheRead: 2, cacheWrite: 3, totalTokens: 20 }
    const message = piMessage({ content: [{ type: 'text', text: 'Hi' }], usage })
    const chunks = await play(playing(textEvents(message)))
    const counts = { inputTokens: 10, outputTokens: 5, cacheReadTokens: 2, cacheWriteTokens: 3 }
    expect(chunks.find(({ type }) => type === 'usage')).toEqual({ type: 'usage', usage: counts })
  },

  async 'pi-own-retry-off'() {
    const script = Array.from({ length: 3 }, () => jsonAnswer({ error: { message: 'slow' } }, { status: 429 }))
    const { finish, requests } = await ask({}, { script })
    expect([finish.failure?.code, finish.failure?.status, requests]).toEqual(['RATE_LIMIT', 429, 1])
  },

  async 'pi-missing-finish-flag'() {
    const models = [{ id: 'm', compat: { supportsFinishReason: false } }]
    const cut = { script: [{ chunks: chatCompletions({ text: 'partial', finish: null }, { done: false }) }] }
    for (const config of [{}, { models }]) {
      const { finish } = await ask(config, cut)
      expect(finish.failure?.code).toBe('STREAM_CLOSED')
    }
    const whole = { script: [{ chunks: chatCompletions({ text: 'whole', finish: null }) }] }
    for (const config of [{}, { models }]) {
      const { finish, text } = await ask(config, whole)
      expect([finish.kind, text]).toEqual(['stop', 'whole'])
    }
  },

  async 'pi-error-classification'() {
    const table = [
      ['429 {"error":{"message":"slow down"}}', 'RATE_LIMIT', 429],
      ["400 This model's maximum context length is 1000 tokens", 'CONTEXT_WINDOW_EXCEEDED', 400],
      ['terminated', 'TRANSPORT', undefined],
      ['401 invalid key', 'AUTH', 401],
      ['Stream ended without finish_reason', 'STREAM_CLOSED', undefined],
    ] as const
    for (const [errorMessage, code, status] of table) {
      const error = piMessage({ stopReason: 'error', errorMessage })
      const chunks = await play(playing([{ type: 'error', reason: 'error', error }]))
      expect(chunks.at(-1)).toMatchObject({ reason: { failure: { code } } })
      expect(toTextFailure(errorMessage, textFacts).status).toBe(status)
    }
  },

  async 'pi-reasoning-flag'() {
    const script = [{ chunks: chatCompletions({ reasoning: 'Hm', text: 'Hello' }) }]
    const { message, finish } = await ask({ models: [{ id: 'custom' }] }, { script })
    expect(message?.content).toEqual([
      { type: 'reasoning', text: 'Hm' },
      { type: 'text', text: 'Hello' },
    ])
    expect(finish.kind).toBe('stop')
  },

  async 'pi-early-break'() {
    const partial = piMessage({ content: [{ type: 'text', text: 'x' }] })
    let produced = 0
    let signal: AbortSignal | undefined
    const openStream: OpenPiStream = async ({ options }) => {
      signal = options.signal
      return {
        async *[Symbol.asyncIterator]() {
          yield { type: 'text_start', contentIndex: 0, partial } as const
          for (;;) {
            produced += 1
            yield { type: 'text_delta', contentIndex: 0, delta: 'x', partial } as const
          }
        },
      }
    }
    const adapter = new PlayedAdapter('anthropic-messages', openStream)
    const ofRun: AdapterRequest = { ...request, signal: new AbortController().signal }
    for await (const chunk of adapter.stream(ofRun)) if (chunk.type === 'text-delta') break
    expect(signal?.aborted).toBe(true)
    expect(produced).toBeLessThan(3)
  },

  async 'rt-single-layer'() {
    await using server = await startProviderServer({ script: () => ({ status: 503 }) })
    const providers = { p: { api: 'openai-completions' as const, baseURL: `${server.url}/v1` } }
    const policy = { maxAttempts: 3, initialDelayMs: 0, maxDelayMs: 0 }
    await using host = await createLlm({ plugins: [use(piAi, { providers }), use(retry, policy)] })
    expect((await host.llm.generate(request)).finish.failure?.code).toBe('OVERLOADED')
    expect(server.requests).toHaveLength(3)
  },
}

function textEvents(message: PiMessage): readonly PiEvent[] {
  return [
    { type: 'text_start', contentIndex: 0, partial: message },
    { type: 'text_delta', contentIndex: 0, delta: 'Hi', partial: message },
    { type: 'text_end', contentIndex: 0, content: 'Hi', partial: message },
    { type: 'done', reason: 'stop', message },
  ]
}

const handed = readHandedCases<unknown>().filter(({ area }) => area === 'pi-ai')
const log = new HandedCaseLog()
afterAll(() => log.write('pi-ai', 'cases'))

describe('faults from the field', () => {
  it.each(Object.entries(scenarios))('%s', (id, run) => log.check(id, run))

  it.skipIf(handed.length === 0)(
    'has a scenario for each of the area; skips where the cases are not there',
    () => {
      expect(handed.map(({ id }) => id).filter((id) => !(id in scenarios))).toEqual([])
    },
  )
})

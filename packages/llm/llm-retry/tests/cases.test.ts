import { createLlm, createUserMessage, type GenerateOptions, type StreamChunk, use } from 'dsh-llm'
import openaiCompatible from 'dsh-llm-openai-compatible'
import {
  chatCompletions,
  type FakeClock,
  fakeClock,
  jsonAnswer,
  type ProviderServer,
  type ScriptStep,
  startProviderServer,
} from 'dsh-llm-testkit'
import { afterAll, describe, expect, it } from 'vitest'
import retry, { type RetryConfig } from '../src/index.ts'
import { HandedCaseLog, readHandedCases } from '../../../../.tools/tests/handed-cases.ts'
import { messageOf, toWords } from './support/retry-stage.ts'

interface Outcome {
  readonly chunks: readonly StreamChunk[]
  readonly words: readonly string[]
  readonly requests: ProviderServer['requests']
  readonly clock: FakeClock
}

interface Asked {
  readonly config?: RetryConfig
  readonly signal?: AbortSignal
  /** Called at each attempt that is announced. */
  readonly onAttempt?: (clock: FakeClock) => void
}

const hello = { chunks: chatCompletions({ text: ['Hi'] }) }
/** Frames up to some text, then nothing: the connection breaks. */
const brokenText = { chunks: chatCompletions({ text: ['Dear re'] }).slice(0, 2), end: 'cut' as const }
const call = { name: 'send_mail', id: 'call_1', arguments: ['{"to":', '"a"}'] }
const brokenCall = { chunks: chatCompletions({ calls: [call] }).slice(0, 3), end: 'cut' as const }

function limited(seconds: number): ScriptStep {
  return jsonAnswer(
    { error: { message: 'slow down' } },
    { status: 429, headers: { 'retry-after': `${seconds}` } },
  )
}

/** One call through the whole stack over a real socket; the clock moves by itself from each attempt to the next. */
async function ask(script: readonly ScriptStep[], { config, signal, onAttempt }: Asked = {}): Promise<Outcome> {
  const clock = fakeClock()
  await using server = await startProviderServer({ script })
  const providers = { p: { baseURL: server.url, apiKey: 'sk-test' } }
  await using host = await createLlm({
    plugins: [use(openaiCompatible, { providers }), use(retry, { random: () => 1, ...config })],
    runtime: { clock },
  })
  const chunks: StreamChunk[] = []
  const request: GenerateOptions = { provider: 'p', model: 'm', messages: [createUserMessage('hi')], signal }
  for await (const chunk of host.llm.stream(request)) {
    chunks.push(chunk)
    if (chunk.type !== 'attempt') continue
    if (onAttempt === undefined) void clock.advance(chunk.delayMs)
    else onAttempt(clock)
  }
  return { chunks, words: toWords(chunks), requests: [...server.requests], clock }
}

/** Handed scenarios by id; each is a script of its own. */
const scenarios: Readonly<Record<string, () => Promise<void>>> = {
  async 'rt-not-after-visible-text'() {
    const { words, requests } = await ask([brokenText, hello])
    expect(requests).toHaveLength(1)
    expect(words.slice(0, 2)).toEqual(['start 0 text', '"Dear re"'])
    expect(words.at(-1)).toMatch(/finish error (TRANSPORT|STREAM_CLOSED)/)
  },

  async 'rt-before-first-output'() {
    const { words, requests } = await ask([{ status: 503 }, hello])
    const answer = words.filter((word) => !word.startsWith('usage'))
    expect(answer).toEqual(['attempt 2 OVERLOADED 500', 'start 0 text', '"Hi"', 'end 0', 'finish stop'])
    expect(requests).toHaveLength(2)
  },

  async 'rt-tool-delta-is-output'() {
    const { words, requests } = await ask([brokenCall, hello])
    expect(requests).toHaveLength(1)
    expect(words.some((word) => word.startsWith('call'))).toBe(true)
    expect(words.at(-1)).toMatch(/finish error/)
  },

  async 'rt-abort-during-backoff'() {
    const controller = new AbortController()
    const onAttempt = (clock: FakeClock): void => void clock.advance(100).then(() => controller.abort())
    const { words, requests, clock } = await ask([limited(3)], { signal: controller.signal, onAttempt })
    expect(words).toEqual(['attempt 2 RATE_LIMIT 3000', 'finish aborted ABORTED'])
    expect([requests.length, clock.now(), clock.pending]).toEqual([1, 100, 0])
  },

  async 'rt-single-layer'() {
    const always = Array.from({ length: 5 }, () => ({ status: 503 }))
    expect((await ask(always, { config: { maxAttempts: 3 } })).requests).toHaveLength(3)
    expect((await ask(always, { config: { until: 'never' } })).requests).toHaveLength(1)
  },

  async 'rt-retry-after-lower-bound'() {
    let requestsBefore = -1
    const onAttempt = (clock: FakeClock): void =>
      void clock
        .advance(29_999)
        .then(() => void (requestsBefore = clock.pending))
        .then(() => clock.advance(1))
    const outcome = await ask([limited(30), hello], { config: { initialDelayMs: 500 }, onAttempt })
    // One timer waits until the last millisecond: that of the retry.
    expect(requestsBefore).toBe(1)
    expect(outcome.words[0]).toBe('attempt 2 RATE_LIMIT 30000')
    expect([outcome.requests.length, outcome.clock.now()]).toEqual([2, 30_000])
  },

  async 'rt-retry-after-too-long'() {
    const { chunks, requests, clock } = await ask([limited(10_800), hello])
    expect(chunks).toMatchObject([
      { reason: { failure: { code: 'RATE_LIMIT', providerRetryAfterMs: 10_800_000 } } },
    ])
    expect(messageOf(chunks)).toContain('10800 s')
    expect([requests.length, clock.now()]).toEqual([1, 0])
  },

  async 'rt-attempts-are-identical'() {
    const { requests } = await ask([{ raw: true, end: 'reset' }, hello])
    const [first, second] = requests.map(({ method, url, headers, body }) => ({ method, url, headers, body }))
    expect(first?.headers['authorization']).toBe('Bearer sk-test')
    expect(second).toEqual(first)
  },
}

describe('retry in the cases of the field', () => {
  const log = new HandedCaseLog()
  afterAll(() => log.write('retry', 'cases'))

  it.each(Object.entries(scenarios))('%s', async (id, run) => {
    await log.check(id, run)
  })

  it('knows every handed case of its area', () => {
    const ids = readHandedCases<unknown>().flatMap(({ id, area }) => (area === 'retry' ? [id] : []))
    expect(ids.filter((id) => scenarios[id] === undefined)).toEqual([])
  })
})

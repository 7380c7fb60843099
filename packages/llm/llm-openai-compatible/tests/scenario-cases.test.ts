import { getEventListeners } from 'node:events'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { createLlm, createUserMessage, use } from 'dsh-llm'
import { parseRetryAfter } from 'dsh-llm-http'
import { afterAll, describe, expect, it } from 'vitest'
import { startProviderServer } from 'dsh-llm-testkit'
import { SseDecoder } from '../../llm-http/src/sse-decoder.ts'
import openaiCompatible from '../src/index.ts'
import { answers, frame } from './support/four-answers.ts'
import { HandedCaseLog, readHandedCases } from '../../../../.tools/tests/handed-cases.ts'
import { choice } from './support/translate-events.ts'
import { ask, StoppedClock } from './support/whole-stack.ts'

const hello = (answers['text'] ?? []).map(frame)
const failing = (error: unknown) => ({ fetch: () => Promise.reject(error) })

/** A body that gives one piece and then whatever `pull` makes of it, as an injected `fetch` would answer. */
function bodyOf(source: UnderlyingDefaultSource<Uint8Array>): { fetch: typeof globalThis.fetch } {
  const start = (stream: ReadableStreamDefaultController<Uint8Array>): void =>
    stream.enqueue(new TextEncoder().encode(hello[0]))
  const headers = { 'content-type': 'text/event-stream' }
  return { fetch: async () => new Response(new ReadableStream({ start, ...source }), { headers }) }
}

function* endless(): Generator<string> {
  for (;;) yield frame(choice({ content: 'more ' }))
}

function collectGarbage(): void {
  setFlagsFromString('--expose-gc')
  runInNewContext('gc')()
}

/** Handed scenarios that concern this stretch, by id; each is a script of its own. */
const scenarios: Readonly<Record<string, () => Promise<void>>> = {
  async 'req-api-key-hygiene'() {
    for (const apiKey of ['sk-test\n', '\uFEFFsk-test', '\u00A0sk-test ']) {
      const { requests } = await ask({ chunks: hello }, { config: { apiKey } })
      expect(requests[0]?.headers['authorization']).toBe('Bearer sk-test')
    }
    const broken = await ask({}, { config: { apiKey: 'sk-te\u2022\u2022st' } })
    expect([broken.lines, broken.requests.length]).toEqual([['error INVALID_CREDENTIAL'], 0])
    expect(broken.failure?.message).not.toContain('sk-te')
    expect((await ask({}, { config: { apiKey: '' } })).lines).toEqual(['error MISSING_CREDENTIAL'])
  },

  async 'req-proxy-injection'() {
    const cause = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' })
    const outcome = await ask({}, { config: failing(new TypeError('fetch failed', { cause })) })
    expect([outcome.lines, outcome.requests.length]).toEqual([['error TRANSPORT'], 0])
    expect(outcome.failure?.message).toContain('ECONNREFUSED')
  },

  async 'err-retry-after-forms'() {
    const wallNow = (): number => Date.parse('2026-01-01T00:00:00.400Z')
    const waits = [
      '2',
      'Thu, 01 Jan 2026 00:01:00 GMT',
      'Wed, 01 Jan 2025 00:00:00 GMT',
      'soon',
      '-5',
      '0',
      '1.5',
      '1e400',
    ]
    expect(waits.map((value) => parseRetryAfter({ 'retry-after': value }, wallNow))).toEqual([
      2000,
      59_600,
      0,
      undefined,
      undefined,
      0,
      1500,
      undefined,
    ])
    const { failure } = await ask({ status: 429, headers: { 'retry-after-ms': '250' } })
    expect(failure).toMatchObject({ code: 'RATE_LIMIT', providerRetryAfterMs: 250 })
  },

  async 'err-headers-timeout-300s'() {
    const clock = new StoppedClock()
    const late = () => {
      clock.advance(400_000)
      return { chunks: hello }
    }
    const limits = { firstContentMs: 900_000 }
    expect((await ask(late, { config: { clock, limits } })).lines).toEqual(['text Hello', 'stop'])
  },

  async 'ab-already-aborted'() {
    const { lines, requests } = await ask({}, { request: { signal: AbortSignal.abort() } })
    expect([lines, requests.length]).toEqual([['aborted ABORTED'], 0])
  },

  async 'ab-mid-stream'() {
    const controller = new AbortController()
    const { lines, endedBy } = await ask(
      { chunks: endless() },
      { request: { signal: controller.signal }, onChunk: (seen) => seen === 3 && controller.abort() },
    )
    expect([lines, endedBy]).toEqual([['open text', 'aborted ABORTED'], 'client'])
  },

  async 'ab-never-iterated'() {
    await using server = await startProviderServer({ script: [{}] })
    const config = { providers: { p: { baseURL: server.url } } }
    await using host = await createLlm({ plugins: [use(openaiCompatible, config)] })
    host.llm.stream({ provider: 'p', model: 'm', messages: [createUserMessage('hi')] })
    await new Promise((resolve) => setImmediate(resolve))
    expect(server.connectionCount).toBe(0)
  },

  async 'ab-listener-balance'() {
    const { signal } = new AbortController()
    for (const answer of [{ chunks: hello }, { status: 500 }, { end: 'reset' as const }, { chunks: 'x' }]) {
      for (let call = 0; call < 25; call += 1) await ask(answer, { request: { signal } })
      expect(getEventListeners(signal, 'abort')).toEqual([])
    }
  },

  async 'ab-cancel-rejection-handled'() {
    const controller = new AbortController()
    const config = bodyOf({ cancel: () => Promise.reject(new Error('no')) })
    const request = { signal: controller.signal }
    const { lines } = await ask({}, { config, request, onChunk: (seen) => seen === 2 && controller.abort() })
    expect(lines).toEqual(['open text', 'aborted ABORTED'])
  },

  async 'ab-locked-stream'() {
    const controller = new AbortController()
    const config = bodyOf({ pull: () => void setImmediate(() => controller.abort()) })
    const { lines } = await ask({}, { config, request: { signal: controller.signal } })
    expect(lines).toEqual(['open text', 'aborted ABORTED'])
  },

  async 'ab-false-abort'() {
    const error = new DOMException('The operation was aborted', 'AbortError')
    const { lines } = await ask({}, { config: bodyOf({ pull: (stream) => stream.error(error) }) })
    expect(lines.at(-1)).toBe('error TRANSPORT')
  },

  async 'ab-reason-preserved'() {
    const signal = AbortSignal.abort(new Error('stop now'))
    const { failure } = await ask({}, { request: { signal } })
    expect(failure).toMatchObject({ code: 'ABORTED', message: expect.stringContaining('stop now') })
  },

  async 'to-idle-stall'() {
    const clock = new StoppedClock()
    const stalled = { chunks: hello.slice(0, 1), end: 'hang' as const }
    const config = { clock, limits: { idleBytesMs: 50 } }
    const { lines, failure } = await ask(stalled, { config, onChunk: (seen) => seen === 2 && clock.run() })
    expect(lines).toEqual(['open text', 'error TIMEOUT'])
    expect(failure?.message).toContain('within 50 ms')
    const none = { idleBytesMs: 0, idleContentMs: 0, firstContentMs: 0, connectMs: 0 }
    const patient = new StoppedClock()
    const whole = await ask(
      { chunks: hello },
      { config: { clock: patient, limits: none }, onChunk: () => patient.advance(1e9) },
    )
    expect(whole.lines).toEqual(['text Hello', 'stop'])
  },

  async 'to-comments-count-as-bytes'() {
    const clock = new StoppedClock()
    function* pinging(): Generator<string> {
      yield ': ping\n\n'
      for (let count = 0; count < 15; count += 1) {
        clock.advance(20)
        yield ': ping\n\n'
      }
      yield* hello
    }
    const config = { clock, limits: { idleBytesMs: 50 } }
    expect((await ask({ chunks: pinging() }, { config })).lines).toEqual(['text Hello', 'stop'])
  },

  async 'to-slow-consumer'() {
    const clock = new StoppedClock()
    const config = { clock, limits: { idleBytesMs: 50, idleContentMs: 50 } }
    const { lines } = await ask({ chunks: hello.join('') }, { config, onChunk: () => clock.advance(120) })
    expect(lines).toEqual(['text Hello', 'stop'])
  },

  async 'sec-key-in-url'() {
    const baseURL = 'https://h.example/v1?key=SENTINEL'
    const { failure } = await ask({}, { config: { baseURL, ...failing(new TypeError('fetch failed')) } })
    expect(failure?.message).toMatch(/https:\/\/h\.example\/v1\/chat\/completions failed/)
    expect(failure?.message).not.toContain('SENTINEL')
  },

  async 'perf-sse-buffer-linear'() {
    const decoder = new SseDecoder(2 ** 21)
    const bytes = new TextEncoder().encode(`data: ${'x'.repeat(2 ** 20)}\n\n`)
    const events = Array.from(bytes, (_, at) => decoder.decode([bytes.subarray(at, at + 1)])).flat()
    expect(events.map(({ data }) => data.length)).toEqual([2 ** 20])
  },

  async 'perf-frame-cap'() {
    function* flood(): Generator<string> {
      yield 'data: '
      for (;;) yield 'x'.repeat(2 ** 16)
    }
    const { lines, endedBy, requests } = await ask({ chunks: flood(), batched: true })
    expect([lines, endedBy]).toEqual([['error RESPONSE_TOO_LARGE'], 'client'])
    expect(requests[0]?.bytesWritten).toBeLessThan(2 ** 26)
  },

  async 'perf-long-stream-memory'() {
    const piece = frame(choice({ content: 'x'.repeat(50) })).repeat(1000)
    function* long(): Generator<string> {
      for (let count = 0; count < 200; count += 1) yield piece
      yield* hello.slice(-2)
    }
    await using server = await startProviderServer({ script: [{ chunks: long(), batched: true }] })
    const config = { providers: { p: { baseURL: server.url } } }
    await using host = await createLlm({ plugins: [use(openaiCompatible, config)] })
    const held: WeakRef<object>[] = []
    let count = 0
    for await (const chunk of host.llm.stream({
      provider: 'p',
      model: 'm',
      messages: [createUserMessage('hi')],
    })) {
      count += 1
      if (count % 1000 === 0) held.push(new WeakRef(chunk))
    }
    await new Promise((resolve) => setImmediate(resolve))
    collectGarbage()
    expect(count).toBe(200_003)
    expect(held.filter((chunk) => chunk.deref() !== undefined).length).toBeLessThan(5)
  },
}

const log = new HandedCaseLog()

afterAll(() => log.write('openai-compatible', 'scenario-cases'))

describe('handed scenarios', () => {
  it('are known by id where the file is present', () => {
    const known = new Set(readHandedCases<unknown>().map(({ id }) => id))
    expect(Object.keys(scenarios).filter((id) => known.size > 0 && !known.has(id))).toEqual([])
  })

  it.each(Object.entries(scenarios))('%s', (id, scenario) => log.check(id, scenario))
})

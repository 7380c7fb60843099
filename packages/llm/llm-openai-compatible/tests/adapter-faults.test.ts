import { createUserMessage, type StreamChunk } from 'dsh-llm'
import type { HttpLimitOptions } from 'dsh-llm-http'
import { describe, expect, it } from 'vitest'
import { type Answer, startProviderServer } from '../../llm-testkit/src/index.ts'
import { OpenAiCompatibleAdapter } from '../src/adapter.ts'
import { callDelta, choice, done, summary } from './support/translate-events.ts'

const call = (index: number, id: string, name: string): string =>
  callDelta({ index, id, type: 'function', function: { name, arguments: '{"z"' } })
const rest = (index: number): string => callDelta({ index, function: { arguments: `:${index}}` } })

const answers: Readonly<Record<string, readonly string[]>> = {
  text: [choice({ content: 'Hel' }), choice({ content: 'lo' }), choice({}, 'stop'), done],
  reasoning: [choice({ reasoning_content: 'why' }), choice({ content: 'so' }), choice({}, 'stop'), done],
  'one call': [call(0, 'a', 'f'), rest(0), choice({}, 'tool_calls'), done],
  'parallel calls': [call(0, 'a', 'f'), call(1, 'b', 'g'), rest(1), rest(0), choice({}, 'tool_calls'), done],
}

const complete: Readonly<Record<string, readonly string[]>> = {
  text: ['text Hello', 'stop'],
  reasoning: ['reasoning why', 'text so', 'stop'],
  'one call': ['call a f {"z":0}', 'tool-calls'],
  'parallel calls': ['call a f {"z":0}', 'call b g {"z":1}', 'tool-calls'],
}

interface Fault {
  readonly name: string
  /** What is sent after the first `count` events. */
  readonly answer: (frames: readonly string[]) => Answer
  readonly code: string
}

const faults: readonly Fault[] = [
  { name: 'a reset', answer: (chunks) => ({ chunks, end: 'reset' }), code: 'TRANSPORT' },
  {
    name: 'a cut without the end of the body',
    answer: (chunks) => ({ chunks, end: 'cut' }),
    code: 'TRANSPORT',
  },
  { name: 'a clean end', answer: (chunks) => ({ chunks, end: 'close' }), code: 'STREAM_CLOSED' },
  { name: 'silence', answer: (chunks) => ({ chunks, end: 'hang' }), code: 'TIMEOUT' },
  {
    name: 'an error event',
    answer: (chunks) => ({ chunks: [...chunks, frame('{"error":{"code":503,"message":"busy"}}')] }),
    code: 'OVERLOADED',
  },
  {
    name: 'rubbish',
    answer: (chunks) => ({ chunks: [...chunks, frame('{"choi')] }),
    code: 'MALFORMED_RESPONSE',
  },
]

const rows = Object.entries(answers).flatMap(([kind, data]) =>
  faults.flatMap((fault) =>
    data.slice(0, -1).map((_, count) => ({ kind, data, fault, count, name: fault.name })),
  ),
)

describe('OpenAiCompatibleAdapter, faults', () => {
  it.each(rows)('$kind, $name after $count events', async ({ kind, data, fault, count }) => {
    const sent = data.slice(0, count).map(frame)
    const { chunks, error } = await exchange(fault.answer(sent))
    const lines = [...summary(chunks), ...(error === undefined ? [] : [`error ${error}`])]
    expect(lines.at(-1)).toBe(`error ${fault.code}`)
    expect(lines.filter((line) => /^(?:stop|tool-calls)$/.test(line))).toEqual([])
    // Everything that came before the fault was handed on.
    expect(textOf(chunks)).toBe(textOf((await exchange({ chunks: sent })).chunks))
    expect(complete[kind]).toBeDefined()
  })

  it.each(Object.keys(answers))('%s, every fault after the finish reason leaves it complete', async (kind) => {
    const sent = (answers[kind] ?? []).slice(0, -1).map(frame)
    for (const end of ['reset', 'cut', 'close', 'hang'] as const) {
      const { chunks } = await exchange({ chunks: sent, end })
      expect(summary(chunks)).toEqual(complete[kind])
    }
  })

  it.each(Object.keys(answers))(
    '%s, an abort at every chunk ends it and closes the connection',
    async (kind) => {
      const whole = (answers[kind] ?? []).slice(0, -2).map(frame)
      const count = (await exchange({ chunks: whole })).chunks.length - 1
      for (let at = 1; at <= count; at += 1) {
        const { chunks, server } = await abortAfter(at, { chunks: whole, end: 'hang' })
        expect(summary(chunks).at(-1)).toBe('aborted ABORTED')
        expect(server).toBe('client')
      }
    },
  )

  it.each([
    ['gzip it cannot read', { headers: { 'content-encoding': 'gzip' }, chunks: 'no gzip' }],
    ['a redirect', { status: 302, headers: { location: '/elsewhere' } }],
    ['another content', { headers: { 'content-type': 'text/plain' }, chunks: 'Welcome' }],
    ['an event that is too large', { chunks: `data: ${'x'.repeat(5000)}` }],
  ])('%s is a failure', async (_name, answer: Answer) => {
    const { chunks, error } = await exchange(answer)
    expect(error ?? summary(chunks).at(-1)).toMatch(/MALFORMED_RESPONSE|RESPONSE_TOO_LARGE|TRANSPORT|HTTP_302/)
  })
})

function frame(data: string): string {
  return `data: ${data}\n\n`
}

function textOf(chunks: readonly StreamChunk[]): string {
  return chunks
    .map((chunk) =>
      'text' in chunk ? chunk.text : chunk.type === 'tool-call-delta' ? chunk.argumentsDelta : '',
    )
    .join('')
}

/** Short waits only where nothing more comes, so that a slow machine cannot change any other outcome. */
function limitsFor({ end, chunks = [] }: Answer): HttpLimitOptions {
  const isSilent = end === 'hang'
  const isEmpty = Array.isArray(chunks) && chunks.length === 0
  return {
    maxEventBytes: 2000,
    idleBytesMs: isSilent ? 150 : undefined,
    firstContentMs: isSilent && isEmpty ? 150 : undefined,
  }
}

interface Exchange {
  readonly chunks: readonly StreamChunk[]
  /** The code of what was thrown, if anything. */
  readonly error: string | undefined
}

async function exchange(answer: Answer): Promise<Exchange> {
  await using server = await startProviderServer({ script: [answer] })
  const chunks: StreamChunk[] = []
  const adapter = new OpenAiCompatibleAdapter({ baseURL: server.url, limits: limitsFor(answer) })
  try {
    for await (const chunk of adapter.stream(requestWith(new AbortController().signal))) chunks.push(chunk)
  } catch (error) {
    return { chunks, error: (error as { readonly code: string }).code }
  }
  return { chunks, error: undefined }
}

async function abortAfter(
  count: number,
  answer: Answer,
): Promise<{ chunks: readonly StreamChunk[]; server: string }> {
  await using server = await startProviderServer({ script: [answer] })
  const controller = new AbortController()
  const chunks: StreamChunk[] = []
  for await (const chunk of new OpenAiCompatibleAdapter({ baseURL: server.url }).stream(
    requestWith(controller.signal),
  )) {
    chunks.push(chunk)
    if (chunks.length === count) controller.abort()
  }
  const received = await server.waitForRequest()
  return { chunks, server: (await received.closed).by }
}

function requestWith(signal: AbortSignal) {
  return { provider: 'p', model: 'm', messages: [createUserMessage('hi')], signal }
}

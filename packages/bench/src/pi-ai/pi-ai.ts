import type { ProviderStreams } from '@earendil-works/pi-ai'
import { createLlm, createUserMessage, type LlmRuntime, use } from 'dsh-llm'
import piAi, { type ApiName } from 'dsh-llm-pi-ai'
import { anthropicMessages, chatCompletions, gemini, openaiResponses } from 'dsh-llm-testkit'
import { report } from '../report.ts'

const DELTAS = 20_000
const BOUND = 1.8
/** What one network read brings of a fast answer. */
const EVENTS_PER_READ = 50
const baseUrl = 'http://127.0.0.1:9'
const words = Array.from({ length: DELTAS }, (_, at) => ` word${at % 1_000}`)
const wholeText = words.join('')

/** How an API is spoken: the events of the answer, and pi-ai's own module for it. */
interface Spoken {
  readonly api: ApiName
  readonly frames: readonly string[]
  readonly load: () => Promise<ProviderStreams>
}

const spoken: readonly Spoken[] = [
  {
    api: 'openai-completions',
    frames: chatCompletions({ text: words }),
    load: () => import('@earendil-works/pi-ai/api/openai-completions'),
  },
  {
    api: 'openai-responses',
    frames: openaiResponses({ text: words }),
    load: () => import('@earendil-works/pi-ai/api/openai-responses'),
  },
  {
    api: 'anthropic-messages',
    frames: anthropicMessages({ text: words }),
    load: () => import('@earendil-works/pi-ai/api/anthropic-messages'),
  },
  {
    api: 'google-generative-ai',
    frames: gemini({ text: words }),
    load: () => import('@earendil-works/pi-ai/api/google-generative-ai'),
  },
]

/** A provider in this process: the same ready bytes for each request, one piece for each read. */
function answering(frames: readonly string[]): typeof globalThis.fetch {
  const encoder = new TextEncoder()
  const pieces = Array.from({ length: Math.ceil(frames.length / EVENTS_PER_READ) }, (_, at) =>
    encoder.encode(frames.slice(at * EVENTS_PER_READ, (at + 1) * EVENTS_PER_READ).join('')),
  )
  return async () => {
    let at = 0
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        const piece = pieces[at]
        at += 1
        if (piece === undefined) controller.close()
        else controller.enqueue(piece.slice())
      },
    })
    return new Response(body, { headers: { 'content-type': 'text/event-stream' } })
  }
}

/** pi-ai read by hand: every event looked at, the text put together. */
async function readBare({ api, load }: Spoken, fetch: typeof globalThis.fetch): Promise<string> {
  const [{ normalizeContext }, { stream }] = await Promise.all([
    import('@earendil-works/pi-ai/utils/transcript'),
    load(),
  ])
  const model = {
    id: 'm',
    name: 'm',
    api,
    provider: 'bench',
    baseUrl,
    reasoning: false,
    input: ['text' as const],
    cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
    contextWindow: 100_000,
    maxTokens: 8_192,
  }
  const context = normalizeContext({ messages: [{ role: 'user', content: 'Hi', timestamp: 0 }] })
  let text = ''
  for await (const event of stream(model, context, { apiKey: 'k', fetch, cacheRetention: 'none' }))
    if (event.type === 'text_delta') text += event.delta
  return text
}

async function readOurs(llm: LlmRuntime): Promise<string> {
  const { text } = await llm.generate({ provider: 'bench', model: 'm', messages: [createUserMessage('Hi')] })
  return text
}

async function benchApi(each: Spoken): Promise<void> {
  const fetch = answering(each.frames)
  const providers = { bench: { api: each.api, baseURL: baseUrl, apiKey: 'k', fetch } }
  await using host = await createLlm({ plugins: [use(piAi, { providers })] })
  for (const text of [await readBare(each, fetch), await readOurs(host.llm)])
    if (text !== wholeText) throw new Error(`An answer of ${each.api} has ${text.length} characters`)
  await report({
    title: `${DELTAS} deltas over ${each.api}; floor: pi-ai's own events, read by hand`,
    floor: { name: 'pi-ai', run: async () => void (await readBare(each, fetch)) },
    contenders: [
      {
        name: 'dsh-llm-pi-ai, runtime and assembly',
        bound: BOUND,
        run: async () => void (await readOurs(host.llm)),
      },
    ],
  })
}

/** What the adapter, the runtime and our own transport add to pi-ai. */
export async function benchPiAi(): Promise<void> {
  for (const each of spoken) await benchApi(each)
}

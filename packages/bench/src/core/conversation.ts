import type { Context } from 'dsh-context'
import {
  ChunkWriter,
  createAssistantMessage,
  createLlm,
  createUserMessage,
  deepFreeze,
  LlmAdapter,
  type LlmRuntime,
  type Message,
  type StreamChunk,
} from 'dsh-llm'
import { median } from '../measure.ts'
import { reportLine } from '../report.ts'

class ShortAdapter extends LlmAdapter {
  async *stream(): AsyncGenerator<StreamChunk> {
    const writer = new ChunkWriter()
    yield* writer.text('ok')
    yield* writer.finish('stop')
  }
}

function conversation(length: number): Message[] {
  const source = { kind: 'model', provider: 'bench', model: 'm' } as const
  return Array.from({ length }, (_, at) =>
    at % 2 === 0
      ? createUserMessage(`question ${at}`)
      : createAssistantMessage({ content: `answer ${at}`, source }),
  )
}

/** Microseconds of the median call over a conversation that grows by one message a call. */
async function costOfCall(llm: LlmRuntime, history: Message[]): Promise<number> {
  const times: number[] = []
  for (let call = 0; call < 400; call += 1) {
    history.push(createUserMessage(`next ${call}`))
    const started = performance.now()
    await llm.generate({ provider: 'bench', model: 'm', messages: history })
    times.push((performance.now() - started) * 1000)
  }
  return median(times.slice(100))
}

/** What the length of a conversation adds to a call (L10). */
export async function benchConversation(): Promise<void> {
  const register = (ctx: Context): void => void ctx.llm.registerAdapter(['bench'], new ShortAdapter())
  const { llm } = await createLlm({ plugins: [register] })
  const short = conversation(100)
  const long = conversation(10_000)
  process.stdout.write('\nA call over old messages, each call adds one\n')
  const rounds = []
  for (let round = 0; round < 5; round += 1) {
    const shortUs = await costOfCall(llm, short.slice())
    rounds.push((await costOfCall(llm, long.slice())) - shortUs)
    if (round === 0) reportLine('over 100 old messages', `${shortUs.toFixed(1)} µs`)
  }
  reportLine('10,000 old messages cost more than 100 by', `${median(rounds).toFixed(1)} µs`)
  const started = performance.now()
  for (let time = 0; time < 1_000; time += 1) for (let at = 0; at < 100; at += 1) deepFreeze(long[at])
  reportLine(
    'deepFreeze of a known message',
    `${(((performance.now() - started) * 1e6) / 100_000).toFixed(0)} ns`,
  )
}

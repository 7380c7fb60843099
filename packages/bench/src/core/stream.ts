import type { Context } from 'dsh-context'
import {
  type AdapterRequest,
  collect,
  createLlm,
  createUserMessage,
  LlmAdapter,
  type LlmRuntime,
  type StreamChunk,
  tapStream,
} from 'dsh-llm'
import { report } from '../report.ts'

const DELTAS = 20_000
const request = { provider: 'bench', model: 'm', messages: [createUserMessage('Go')] }

function chunks(): readonly StreamChunk[] {
  const delta = 'some words '
  const text = delta.repeat(DELTAS)
  return [
    { type: 'block-start', index: 0, blockType: 'text' },
    ...Array.from({ length: DELTAS }, (): StreamChunk => ({ type: 'text-delta', index: 0, text: delta })),
    { type: 'block-end', index: 0, block: { type: 'text', text } },
    { type: 'finish', reason: { kind: 'stop' } },
  ]
}

const recorded = chunks()

async function* generate(): AsyncGenerator<StreamChunk> {
  for (const chunk of recorded) yield chunk
}

class BenchAdapter extends LlmAdapter {
  stream(_request: AdapterRequest): AsyncIterable<StreamChunk> {
    return generate()
  }
}

type Listener = Parameters<Context['on']>[1]

async function runtimeWith(listeners: readonly Listener[]): Promise<LlmRuntime> {
  const { ctx, llm } = await createLlm({
    plugins: [(context: Context): void => void context.llm.registerAdapter(['bench'], new BenchAdapter())],
  })
  for (const listener of listeners) ctx.on('llm/stream', listener as never)
  return llm
}

async function drain(stream: AsyncIterable<StreamChunk>): Promise<void> {
  let length = 0
  for await (const chunk of stream) if (chunk.type === 'text-delta') length += chunk.text.length
  if (length === 0) throw new Error('The stream was empty')
}

/** What a chunk costs between adapter and reader, without and with listeners. */
export async function benchStream(): Promise<void> {
  const plain = await runtimeWith([])
  await report({
    title: `One stream of ${DELTAS} text deltas; floor: a bare async generator`,
    floor: { name: 'for await over a generator', run: () => drain(generate()) },
    contenders: [
      { name: 'runtime', run: () => drain(plain.stream(request)) },
      { name: 'runtime + assembly (generate)', run: async () => void (await plain.generate(request)) },
      { name: 'assembly alone (collect)', run: async () => void (await collect(generate())) },
    ],
  })
  await benchListeners(plain)
}

async function benchListeners(plain: LlmRuntime): Promise<void> {
  const pass = (_: unknown, next: () => AsyncIterable<StreamChunk>): AsyncIterable<StreamChunk> => next()
  let seen = 0
  const tap: typeof pass = (_, next) => tapStream(next(), () => void (seen += 1))
  const generator: typeof pass = async function* (_, next) {
    for await (const chunk of next()) yield chunk
  }
  const passing = await runtimeWith([pass, pass, pass])
  const tapping = await runtimeWith([tap, tap, tap])
  const generating = await runtimeWith([generator, generator, generator])
  await report({
    title: 'The same through listeners; floor: generate() without any',
    floor: { name: 'no listener', run: async () => void (await plain.generate(request)) },
    contenders: [
      { name: 'three that return next()', run: async () => void (await passing.generate(request)) },
      { name: 'three tapStream', run: async () => void (await tapping.generate(request)) },
      { name: 'three generators', run: async () => void (await generating.generate(request)) },
    ],
  })
}

import { createAssistantMessage, createUserMessage, type GenerateOptions, type Message } from 'dsh-llm'
import { dialects, serialize } from 'dsh-llm-openai-compatible'
// The encoder is no part of the package's interface.
import { encodeRequest } from '../../../llm/llm-openai-compatible/src/encode.ts'
import { report } from '../report.ts'

const MESSAGES = 4_000
const CALLS = 20
const BOUND = 0.5
const dialect = dialects.openai
const utf8 = new TextEncoder()

/** Text of one length that the encoders cannot have seen before. */
function textOf(length: number, seed: number): string {
  return `${seed} says "hello" to it\n`.padEnd(length, 'some more words ').slice(0, length)
}

function messageAt(at: number, length: number): Message {
  const text = textOf(length, at)
  if (at % 2 === 0) return createUserMessage(text)
  const source = { kind: 'model', provider: 'bench', model: 'm' } as const
  return createAssistantMessage({ content: [{ type: 'text', text }], source })
}

/** Makes the conversation of the next call out of the one before. */
type Change = (messages: readonly Message[], length: number) => readonly Message[]

let fresh = MESSAGES
const changes: Readonly<Record<string, Change>> = {
  'grown by one': (messages, length) => [...messages, messageAt(fresh++, length)],
  repeated: (messages) => messages,
  'with a new last message': (messages, length) => [...messages.slice(0, -1), messageAt(fresh++, length)],
}

const toRequest = (messages: readonly Message[]): GenerateOptions => ({
  provider: 'bench',
  model: 'm',
  messages,
})

function assertSameBytes(request: GenerateOptions): void {
  const { body } = encodeRequest(request, dialect)
  if (Buffer.compare(body, utf8.encode(JSON.stringify(serialize(request, dialect)))) === 0) return
  throw new Error('The encoded body is not the serialised one')
}

async function benchChange(name: string, change: Change, length: number): Promise<void> {
  let messages: readonly Message[] = Array.from({ length: MESSAGES }, (_, at) => messageAt(at, length))
  const body = serialize(toRequest(messages), dialect)
  encodeRequest(toRequest(messages), dialect)
  await report({
    title: `${MESSAGES} messages of ${length} characters, ${name}; floor: JSON.stringify + TextEncoder`,
    floor: {
      name: 'the same body, ready as an object',
      run: () => {
        for (let call = 0; call < CALLS; call += 1) utf8.encode(JSON.stringify(body))
      },
    },
    contenders: [
      {
        name: 'encodeRequest',
        bound: BOUND,
        run: () => {
          for (let call = 0; call < CALLS; call += 1) {
            messages = change(messages, length)
            encodeRequest(toRequest(messages), dialect)
          }
        },
      },
    ],
  })
  assertSameBytes(toRequest(messages))
}

/** CPU of the request body of a long conversation, byte-equal to plain serialisation. */
export async function benchEncode(): Promise<void> {
  for (const length of [20, 200, 1_000]) {
    for (const [name, change] of Object.entries(changes)) await benchChange(name, change, length)
  }
}

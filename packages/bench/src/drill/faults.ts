import { type Answer, jsonAnswer } from 'dsh-llm-testkit'

/** How a request goes wrong, and what the caller makes of it. */
export interface Fault {
  readonly name: string
  /** `retried` by the same route, `refused` by this route for good; both if nothing was seen. */
  readonly kind: 'retried' | 'refused'
  /** Whether the caller has seen a part of the answer by then. */
  readonly isSeen: boolean
  /** The answer in place of the good one, of which these would be the frames. */
  readonly answer: (frames: readonly string[]) => Answer
}

function unseen(name: string, answer: Answer): Fault {
  return { name, kind: 'retried', isSeen: false, answer: () => answer }
}

/** The first half of the good answer, and then this. */
function seen(name: string, rest: Omit<Answer, 'chunks'>, last: readonly string[] = []): Fault {
  const answer = (frames: readonly string[]): Answer => ({
    ...rest,
    chunks: [...frames.slice(0, Math.ceil(frames.length / 2)), ...last],
  })
  return { name, kind: 'retried', isSeen: true, answer }
}

function refused(name: string, status: number, error: object): Fault {
  return { name, kind: 'refused', isSeen: false, answer: () => jsonAnswer({ error }, { status }) }
}

function status(code: number, headers?: Record<string, string>): Fault {
  const body = { error: { message: `The drill answers ${code}` } }
  return unseen(
    `status ${code}${headers === undefined ? '' : ' with a wait'}`,
    jsonAnswer(body, { status: code, headers }),
  )
}

const inBandError = 'data: {"error":{"message":"The drill fails in the stream","type":"server_error"}}\n\n'
const brokenEvent = 'data: {"choices":[{"delta":{"cont\n\n'
const roleFrame = 'data: {"choices":[{"index":0,"delta":{"role":"assistant","content":""}}]}\n\n'
const stopFrame = 'data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\n'
const shortageFrame =
  'data: {"choices":[{"index":0,"delta":{},"finish_reason":"insufficient_system_resource"}]}\n\n'
const doneFrame = 'data: [DONE]\n\n'
const html = { headers: { 'content-type': 'text/html' }, chunks: '<html>Bad gateway</html>' }

/** Every way to fail that a provider, a proxy or the network between them is known for. */
export const faults: readonly Fault[] = [
  ...[408, 500, 502, 503, 504, 529].map((code) => status(code)),
  status(429),
  status(429, { 'retry-after-ms': '20' }),
  unseen('reset before the status line', { raw: true, end: 'reset' }),
  unseen('closed before the status line', { raw: true }),
  unseen('no answer at all', { raw: true, end: 'hang' }),
  unseen('a web page', html),
  unseen('no event at all', {}),
  unseen('an empty answer', { chunks: [roleFrame, stopFrame, doneFrame] }),
  unseen('a shortage as finish reason', { chunks: [roleFrame, shortageFrame, doneFrame] }),
  unseen('silence after the headers', { chunks: ': wait\n\n', end: 'hang' }),
  unseen('cut after the first event', { chunks: roleFrame, end: 'cut' }),
  unseen('a broken first event', { chunks: brokenEvent }),
  unseen('an error as first event', { chunks: inBandError }),
  seen('cut in the middle', { end: 'cut' }),
  // Without the wait the client would lose what it has not read yet.
  seen('reset in the middle', { end: 'reset', trailingDelayMs: 30 }),
  seen('closed in the middle', {}),
  seen('silence in the middle', { end: 'hang' }),
  seen('a broken event in the middle', {}, [brokenEvent]),
  seen('an error in the middle', {}, [inBandError]),
  refused('a key that is refused', 401, { message: 'No such key' }),
  refused('a conversation that is too long', 400, {
    message: 'This model has a maximum context length of 10 tokens',
    code: 'context_length_exceeded',
  }),
]

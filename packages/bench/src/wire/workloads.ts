/** One kind of answer, as a list of events; the server frames it and both contenders know its length. */
export interface Workload {
  readonly name: string
  readonly title: string
  /** The chunks between the opening chunk and the end, each the JSON of one event. */
  readonly events: readonly string[]
  /** Units of text, reasoning and arguments in the whole answer: what every reader must have got. */
  readonly length: number
}

const head =
  '{"id":"chatcmpl-8f1d2c3b4a5968778695a4b3c2d1e0f9","object":"chat.completion.chunk","created":1764374400,' +
  '"model":"bench-model","system_fingerprint":"fp_0a1b2c3d4e","choices":[{"index":0,"delta":'
const tail = ',"logprobs":null,"finish_reason":null}]}'

/** What tokens of prose look like: mostly short words, now and then an escape or a character beyond ASCII. */
const tokens = [
  ' the',
  ' model',
  ' answers',
  ',',
  ' and',
  ' a',
  ' harness',
  ' reads',
  ' it',
  '.',
  '\n\n',
  ' Every',
  ' token',
  ' comes',
  ' alone',
  ' in',
  ' an',
  ' envelope',
  ' of',
  ' three',
  ' hundred',
  ' bytes',
  ' —',
  ' "',
  'quoted',
  '"',
  ' über',
  ' 模型',
]

const codeLine = '  const total = items.reduce((sum, item) => sum + item.price, 0)\n'

function chunk(delta: string): string {
  return head + delta + tail
}

function prose(name: string, title: string, count: number): Workload {
  const pieces = Array.from({ length: count }, (_, at) => tokens[at % tokens.length] ?? '')
  const toDelta = (piece: string): string =>
    name === 'reasoning'
      ? `{"content":null,"reasoning_content":${JSON.stringify(piece)}}`
      : `{"content":${JSON.stringify(piece)}}`
  return { name, title, events: pieces.map((piece) => chunk(toDelta(piece))), length: pieces.join('').length }
}

/** A file to be written: the JSON of the arguments, in pieces of one size. */
function argumentPieces(total: number, count: number): readonly string[] {
  const content = codeLine.repeat(Math.ceil(total / codeLine.length)).slice(0, total * 0.95)
  const text = JSON.stringify({ path: 'src/cart.ts', content }).padEnd(total)
  const size = Math.ceil(text.length / count)
  return Array.from({ length: count }, (_, at) => text.slice(at * size, (at + 1) * size)).filter(Boolean)
}

function callHead(index: number): string {
  const call = `{"index":${index},"id":"call_${index}","type":"function","function":{"name":"write_file","arguments":""}}`
  return chunk(`{"role":"assistant","content":null,"tool_calls":[${call}]}`)
}

function callPiece(index: number, piece: string): string {
  return chunk(`{"tool_calls":[{"index":${index},"function":{"arguments":${JSON.stringify(piece)}}}]}`)
}

interface CallsShape {
  readonly calls: number
  readonly total: number
  readonly count: number
}

function calls(name: string, title: string, { calls, total, count }: CallsShape): Workload {
  const pieces = argumentPieces(total, count)
  const indexes = Array.from({ length: calls }, (_, index) => index)
  const events = [
    ...indexes.map((index) => callHead(index)),
    ...pieces.flatMap((piece) => indexes.map((index) => callPiece(index, piece))),
  ]
  return { name, title, events, length: pieces.join('').length * calls }
}

/** Deltas of one paced stream: at one every 10 ms it lasts two seconds. */
const PACED_EVENTS = 200

export const workloads: readonly Workload[] = [
  prose('text', 'Text in 20,000 deltas', 20_000),
  prose('reasoning', 'Reasoning in 20,000 deltas', 20_000),
  calls('arguments', 'Tool arguments, 200 kB in 5,000 deltas', { calls: 1, total: 200_000, count: 5_000 }),
  calls('long-arguments', 'Tool arguments, 1 MB in 20,000 deltas', {
    calls: 1,
    total: 1_000_000,
    count: 20_000,
  }),
  calls('eight-calls', 'Eight interleaved calls of 2,500 deltas', { calls: 8, total: 100_000, count: 2_500 }),
  prose('short', '200 concurrent streams of 200 deltas', 200),
  prose('paced', '50 concurrent streams, one event per read every 10 ms for 2 s', PACED_EVENTS),
]

export function workloadOf(name: string): Workload {
  const workload = workloads.find((candidate) => candidate.name === name)
  if (workload === undefined) throw new Error(`There is no workload "${name}"`)
  return workload
}

/** The last events of every answer. */
export function closingEvents(isCall: boolean): readonly string[] {
  const reason = isCall ? 'tool_calls' : 'stop'
  return [
    `${head}{},"logprobs":null,"finish_reason":"${reason}"}]}`,
    `${head.slice(0, head.indexOf('"choices"'))}"choices":[],"usage":{"prompt_tokens":12,"completion_tokens":34,"total_tokens":46}}`,
    '[DONE]',
  ]
}

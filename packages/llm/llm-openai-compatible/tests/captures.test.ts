import { existsSync, readFileSync } from 'node:fs'
import { BlockAssembler, type StreamChunk } from 'dsh-llm'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { SseDecoder } from '../../llm-http/src/sse-decoder.ts'
import { cutBytes, cutEvery } from 'dsh-llm-testkit'
import { dialects } from '../src/dialects.ts'
import { Translator } from '../src/translate.ts'
import { ask } from './support/whole-stack.ts'

// Streams as providers sent them, kept outside the repository; without them the authored ones below still run.
const folder = new URL('../../../../../shared/captures/', import.meta.url)
const names = ['deepseek-reasoning', 'deepseek-tool-call', 'alibaba-tool-call', 'azure-model-router.1']
const present = names.filter((name) => existsSync(new URL(`${name}.jsonl`, folder)))
if (present.length < names.length)
  console.info(`Captured streams: ${present.length} of ${names.length} are present`)

const authored = [
  '{"id":"x","model":"m","choices":[{"index":0,"delta":{"role":"assistant","content":null,"reasoning_content":"Überlegen… 考え"}}]}',
  '{"id":"x","model":"m","choices":[{"index":0,"delta":{"content":"Ok 😀"}}]}',
  '{"id":"x","model":"m","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":"{\\"q\\":\\"é"}}]}}]}',
  '{"id":"x","model":"m","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"\\"}"}}]}}]}',
  '{"id":"x","model":"m","choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}],"usage":{"prompt_tokens":9,"completion_tokens":4}}',
]

const streams = [
  { name: 'authored', lines: authored },
  ...present.map((name) => ({
    name,
    lines: readFileSync(new URL(`${name}.jsonl`, folder), 'utf8')
      .trim()
      .split('\n'),
  })),
]

interface Answer {
  readonly blocks: unknown
  readonly usage: unknown
  readonly finish: unknown
}

const framings = [
  { name: 'LF', newline: '\n', marker: true },
  { name: 'CRLF', newline: '\r\n', marker: true },
  { name: 'LF without a marker', newline: '\n', marker: false },
  { name: 'CRLF without a marker', newline: '\r\n', marker: false },
]

/** Random sets of cuts for each stream and framing. */
const RUNS = 1000
/** How many bytes at the end of a stream are cut at every position; there the calls, the usage and the finish are. */
const TAIL_BYTES = 1200

describe.each(streams)('captured stream $name', ({ lines }) => {
  const expected = directly(lines)

  it('holds what its lines say', () => {
    expect(answerOf(toBytes(lines, { newline: '\n', marker: true }), [])).toEqual(expected)
  })

  it.each(framings)('gives the same answer cut anywhere, $name', (framing) => {
    const bytes = toBytes(lines, framing)
    const cuts = fc.uniqueArray(fc.integer({ min: 1, max: bytes.length - 1 }), { maxLength: 40 })
    fc.assert(
      fc.property(cuts, (at) => {
        expect(answerOf(bytes, at)).toEqual(expected)
      }),
      { numRuns: RUNS },
    )
  })

  it.each(framings)('gives the same answer cut at each of the last bytes, $name', (framing) => {
    const bytes = toBytes(lines, framing)
    for (let at = Math.max(1, bytes.length - TAIL_BYTES); at < bytes.length; at += 1) {
      expect(answerOf(bytes, [at])).toEqual(expected)
    }
  })

  it.each(framings)('gives the same answer through a socket, $name', async (framing) => {
    const bytes = toBytes(lines, framing)
    const cuts = fc.sample(fc.array(fc.integer({ min: 1, max: bytes.length }), { maxLength: 20 }), 5)
    for (const chunks of [...cuts.map((at) => cutBytes(bytes, at)), cutEvery(bytes, 7)]) {
      const outcome = await ask({ chunks, batched: chunks.length > 100 })
      expect(assembled(outcome.chunks)).toEqual(expected)
    }
  })

  it.each(framings)('gives the same answer byte by byte, $name', (framing) => {
    const bytes = toBytes(lines, framing)
    expect(
      answerOf(
        bytes,
        Array.from({ length: bytes.length - 1 }, (_, at) => at + 1),
      ),
    ).toEqual(expected)
  })
})

interface PlainDelta {
  readonly reasoning_content?: string | null
  readonly content?: string | null
  readonly tool_calls?: readonly { index: number; id: string; function: { name: string; arguments?: string } }[]
}

/** The answer by plain concatenation, independent of the code under test. */
function directly(lines: readonly string[]): Answer {
  const chunks = lines.map((line) => JSON.parse(line))
  const deltas: readonly PlainDelta[] = chunks.map(({ choices }) => choices[0]?.delta ?? {})
  const reasoning = deltas.map((delta) => delta.reasoning_content ?? '').join('')
  const text = deltas.map((delta) => delta.content ?? '').join('')
  const calls = callsOf(deltas)
  const blocks = [
    ...(reasoning === '' ? [] : [{ type: 'reasoning', text: reasoning }]),
    ...(text === '' ? [] : [{ type: 'text', text }]),
    ...calls,
  ]
  const usage = chunks.findLast((chunk) => chunk.usage)?.usage
  return {
    blocks,
    usage: usage && [usage.prompt_tokens, usage.completion_tokens],
    finish: calls.length > 0 ? 'tool-calls' : 'stop',
  }
}

function callsOf(deltas: readonly PlainDelta[]): readonly object[] {
  const calls: { type: string; id: string; name: string; arguments: string }[] = []
  for (const { index, id, function: body } of deltas.flatMap((delta) => delta.tool_calls ?? [])) {
    const call = (calls[index] ??= { type: 'tool-call', id, name: body.name, arguments: '' })
    call.arguments += body.arguments ?? ''
  }
  return calls
}

function toBytes(
  lines: readonly string[],
  { newline, marker }: { newline: string; marker: boolean },
): Uint8Array {
  const data = marker ? [...lines, '[DONE]'] : lines
  return new TextEncoder().encode(data.map((line) => `data: ${line}${newline}${newline}`).join(''))
}

function answerOf(bytes: Uint8Array, cuts: readonly number[]): Answer {
  const decoder = new SseDecoder(1_000_000)
  const translator = new Translator({ provider: 'p', model: 'm', rules: dialects.generic.response })
  const out: StreamChunk[] = []
  let from = 0
  for (const to of [...cuts].sort((a, b) => a - b).concat(bytes.length)) {
    translator.translate(decoder.decode([bytes.subarray(from, to)]), out)
    from = to
  }
  translator.translate(decoder.end(), out)
  translator.end(out)
  return assembled(out)
}

function assembled(chunks: readonly StreamChunk[]): Answer {
  const assembler = new BlockAssembler()
  for (const chunk of chunks) assembler.push(chunk)
  const { usage } = assembler
  return {
    blocks: assembler.blocks(),
    usage: usage && [(usage.inputTokens ?? 0) + (usage.cacheReadTokens ?? 0), usage.outputTokens],
    finish: assembler.finish?.reason.kind,
  }
}

import { CallId, LlmAdapter, type AdapterRequest, type StreamChunk } from 'dsh-llm'
import { describe, expect, it } from 'vitest'
import { ScriptedAdapter, type ScriptedAnswer } from '../src/index.ts'
import { catchFault } from './support/catch-fault.ts'

/** Changes what a sound adapter yields; one call at a time has a state of its own. */
type Spoil = (chunks: AsyncIterable<StreamChunk>) => AsyncIterable<StreamChunk>

type Scripted = (request: AdapterRequest, index: number) => ScriptedAnswer

class SpoiledAdapter extends LlmAdapter {
  readonly #sound: ScriptedAdapter
  readonly #spoil: Spoil

  constructor(script: Scripted, spoil: Spoil) {
    super()
    this.#sound = new ScriptedAdapter(script)
    this.#spoil = spoil
  }

  stream(request: AdapterRequest): AsyncIterable<StreamChunk> {
    return this.#spoil(this.#sound.stream(request))
  }
}

/** Replaces each chunk by others. */
function each(replace: (chunk: StreamChunk, at: number) => readonly StreamChunk[]): Spoil {
  return async function* (chunks) {
    let at = 0
    for await (const chunk of chunks) yield* replace(chunk, at++)
  }
}

const finishWith = (kind: 'stop' | 'tool-calls'): Spoil =>
  each((chunk) => [chunk.type === 'finish' ? { ...chunk, reason: { kind } } : chunk])

const attempt: StreamChunk = {
  type: 'attempt',
  attempt: 2,
  failure: { code: 'SERVER', message: 'again' },
  delayMs: 0,
}

/** Closes text only when everything has been said. */
const closesTextLate: Spoil = async function* (chunks) {
  let late: StreamChunk | undefined
  for await (const chunk of chunks) {
    if (chunk.type === 'block-end' && chunk.block.type === 'text') late = chunk
    else {
      if (chunk.type === 'finish' && late !== undefined) yield late
      yield chunk
    }
  }
}

/** Repairs a call that the token limit has cut, as if it could be run. */
const repairsCutCall: Spoil = async function* (chunks) {
  let text = ''
  for await (const chunk of chunks) {
    if (chunk.type === 'tool-call-delta') text += chunk.argumentsDelta
    if (chunk.type === 'finish' && text !== '') {
      const { index, id } = { index: 1, id: CallId('call_0') }
      yield { type: 'block-end', index, block: { type: 'tool-call', id, name: 'weather', arguments: text } }
    }
    yield chunk
  }
}

/** Appends to the delta it yielded before. */
const growsAChunk: Spoil = async function* (chunks) {
  let previous: { text: string } | undefined
  for await (const chunk of chunks) {
    if (previous !== undefined && chunk.type === 'block-end') previous.text += '!'
    const copy = { ...chunk }
    if (copy.type === 'text-delta') previous = copy
    yield copy
  }
}

const reparsesArguments: Spoil = async function* (chunks) {
  const spaced = '{"amount":1.5,"id":12345678901234567000}'
  for await (const chunk of chunks) {
    if (chunk.type === 'tool-call-delta')
      yield { ...chunk, argumentsDelta: chunk.name === undefined ? spaced : '' }
    else if (chunk.type === 'block-end' && chunk.block.type === 'tool-call')
      yield { ...chunk, block: { ...chunk.block, arguments: spaced } }
    else yield chunk
  }
}

const faults: readonly (readonly [fault: string, rule: string, check: string, spoil: Spoil])[] = [
  ['yields nothing for a chunk', 'R1', 'tells text', each(() => [undefined as never])],
  ['never finishes', 'R1', 'tells text', each((chunk) => (chunk.type === 'finish' ? [] : [chunk]))],
  ['finishes twice', 'R1', 'tells text', each((chunk) => (chunk.type === 'finish' ? [chunk, chunk] : [chunk]))],
  [
    'counts blocks from 1',
    'R2',
    'tells text',
    each((chunk) => ['index' in chunk ? { ...chunk, index: 1 } : chunk]),
  ],
  ['opens no block', 'R3', 'tells text', each((chunk) => (chunk.type === 'block-start' ? [] : [chunk]))],
  [
    'yields reasoning as text of its block',
    'R3',
    'takes reasoning alone for an answer',
    each((chunk) => [chunk.type === 'reasoning-delta' ? { ...chunk, type: 'text-delta' } : chunk]),
  ],
  [
    'closes a block with trimmed text of the same length',
    'R4',
    'tells line ends and blanks as they are',
    each((chunk) =>
      chunk.type === 'block-end' && chunk.block.type === 'text'
        ? [{ ...chunk, block: { type: 'text', text: chunk.block.text.replaceAll('\r', '\n') } }]
        : [chunk],
    ),
  ],
  ['closes text when all is said', 'R4', 'tells text before calls', closesTextLate],
  ['parses and rewrites arguments', 'R4', 'keeps the text of arguments as it is', reparsesArguments],
  [
    'gives each piece of a call an id of its own',
    'R5',
    'tells a call in pieces',
    each((chunk, at) => [chunk.type === 'tool-call-delta' ? { ...chunk, id: CallId(`call-${at}`) } : chunk]),
  ],
  [
    'leaves the name of a call to its end',
    'R5',
    'tells a call in one piece',
    each((chunk) => [chunk.type === 'tool-call-delta' ? { ...chunk, name: undefined } : chunk]),
  ],
  [
    'counts what it does not know as NaN',
    'R6',
    'counts input and output',
    each((chunk) => [chunk.type === 'usage' ? { ...chunk, usage: { outputTokens: Number.NaN } } : chunk]),
  ],
  [
    'tells usage behind the finish',
    'R6',
    'tells text',
    each((chunk) => (chunk.type === 'finish' ? [chunk, { type: 'usage', usage: {} }] : [chunk])),
  ],
  ['leaves text open', 'R7', 'tells text', each((chunk) => (chunk.type === 'block-end' ? [] : [chunk]))],
  ['closes a call that was cut', 'R7', 'leaves a call open that was cut', repairsCutCall],
  ['says stop after calls', 'R8', 'tells several calls', finishWith('stop')],
  ['calls text a call', 'R8', 'tells text', finishWith('tool-calls')],
  ['takes a cut for an end', 'R8', 'tells text that was cut', finishWith('stop')],
  ['takes nothing for an answer', 'R9', 'takes nothing at all for a failure', finishWith('stop')],
  ['retries by itself', 'R10', 'tells text', each((chunk, at) => (at === 0 ? [attempt, chunk] : [chunk]))],
  ['changes what it yielded', 'R12', 'tells text in pieces', growsAChunk],
]

describe('adapterContract: adapters that break the grammar', () => {
  it.each(faults)('an adapter that %s breaks %s', async (_, rule, check, spoil) => {
    const error = await catchFault({ scriptAdapter: (script) => new SpoiledAdapter(script, spoil) }, check)
    expect([error.name, error.rule]).toEqual(['ContractError', rule])
    expect(error.message).toContain(`BrokenAdapter, "${check}": Breaks ${rule}: `)
    expect(error.message).toContain(`To fix: ${error.fix}`)
    expect(error.fix.length).toBeGreaterThan(30)
  })
})

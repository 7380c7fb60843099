import type { ScriptedAnswer } from '../scripted/scripted-answer.ts'
import type { Answer, AnswerChunk } from '../server/answer.ts'
import { cutBytes } from '../wire/cut-bytes.ts'
import { toPieces } from '../wire/neutral-answer.ts'
import type { WireContractSetup } from './contract-setup.ts'

/** An id that every provider takes as it is: some want nine letters and digits and get other ids rewritten. */
export const contractCallId = 'contract1'

/** One call, whose id reaches the wire if that has ids. */
export const answerWithId: ScriptedAnswer = {
  calls: [{ id: contractCallId, name: 'time', arguments: '{}' }],
}

/** Whether ids of calls stand on this wire, so that they can be asked for. */
export function carriesCallIds({ render }: Pick<WireContractSetup, 'render'>): boolean {
  return Buffer.from(toBytes(render(answerWithId))).includes(contractCallId)
}

/** Stands where the rendered answer is to be broken off. */
const mark = 'contract-mark-of-the-cut'

/** What a frame of JSON cannot hold; on other wires it is text. */
export const malformed = '"contract-malformed'

/** A scripted answer on the wire. One that hangs or is cut is broken off inside the frame that follows its text. */
export function renderScripted(
  { end = 'close', ...answer }: ScriptedAnswer,
  { render }: Pick<WireContractSetup, 'render'>,
): Answer {
  if (end === 'close') return render(answer)
  const pieces = toPieces(answer.text)
  if (pieces.length === 0) return { raw: true, end }
  const rendered = render({ ...answer, text: [...pieces, mark] })
  const bytes = toBytes(rendered)
  return { ...rendered, chunks: cutBytes(bytes, [positionOfMark(bytes)]).slice(0, 1), end }
}

/** A whole answer, one frame of which holds a quote that nothing escapes, so that it is no JSON. */
export function renderMalformed({ render }: Pick<WireContractSetup, 'render'>): Answer {
  const rendered = render({ text: ['One ', mark, ' two'] })
  const bytes = toBytes(rendered)
  const position = positionOfMark(bytes)
  const rest = bytes.subarray(position + mark.length)
  return { ...rendered, chunks: [bytes.subarray(0, position), malformed, rest] }
}

function positionOfMark(bytes: Uint8Array): number {
  const position = Buffer.from(bytes).indexOf(mark)
  if (position !== -1) return position
  throw new Error('Could not break off an answer: `render` must leave texts as they are on the wire')
}

/** The whole body of a rendered answer, whose chunks must be at hand and not yet to come. */
export function toBytes({ chunks = [] }: Answer): Uint8Array {
  if (typeof chunks === 'string' || chunks instanceof Uint8Array) return Buffer.from(chunks)
  if (Symbol.asyncIterator in chunks)
    throw new Error('`render` must give its chunks as a list, not as an async iterable')
  return Buffer.concat(Array.from(chunks, (chunk: AnswerChunk) => Buffer.from(chunk)))
}

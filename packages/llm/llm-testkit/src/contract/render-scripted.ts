import type { ScriptedAnswer } from '../scripted/scripted-answer.ts'
import type { Answer, AnswerChunk } from '../server/answer.ts'
import { cutBytes } from '../wire/cut-bytes.ts'
import { toPieces } from '../wire/neutral-answer.ts'
import type { WireContractSetup } from './contract-setup.ts'

/** Stands where the rendered answer is to be broken off. */
const mark = 'contract-mark-of-the-cut'

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
  const position = Buffer.from(bytes).indexOf(mark)
  if (position === -1)
    throw new Error('Could not break off an answer: `render` must leave texts as they are on the wire')
  return { ...rendered, chunks: cutBytes(bytes, [position]).slice(0, 1), end }
}

/** The whole body of a rendered answer, whose chunks must be at hand and not yet to come. */
export function toBytes({ chunks = [] }: Answer): Uint8Array {
  if (typeof chunks === 'string' || chunks instanceof Uint8Array) return Buffer.from(chunks)
  if (Symbol.asyncIterator in chunks)
    throw new Error('`render` must give its chunks as a list, not as an async iterable')
  return Buffer.concat(Array.from(chunks, (chunk: AnswerChunk) => Buffer.from(chunk)))
}

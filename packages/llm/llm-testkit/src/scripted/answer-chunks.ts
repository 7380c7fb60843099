import { ChunkWriter, createFailure, type FinishReason, type PlainFinishKind, type StreamChunk } from 'dsh-llm'
import { toPieces } from '../wire/neutral-answer.ts'
import type { ScriptedAnswer } from './scripted-answer.ts'

/** The chunks of a neutral answer, legal in the grammar. `finish: null` leaves the finish out. */
export function toChunks(answer: ScriptedAnswer): readonly StreamChunk[] {
  const writer = new ChunkWriter()
  const chunks = [
    ...toPieces(answer.reasoning).flatMap((piece) => writer.reasoning(piece)),
    ...toPieces(answer.text).flatMap((piece) => writer.text(piece)),
    ...(answer.calls ?? []).flatMap(({ id, name, arguments: given }, key) => [
      ...writer.toolCall(key, { id: id ?? `call_${key}`, name }),
      ...toPieces(given).flatMap((piece) => writer.toolCall(key, { arguments: piece })),
    ]),
  ]
  if (answer.usage !== undefined) chunks.push(...writer.usage(answer.usage))
  const reason = toReason(answer)
  if (reason === undefined) return chunks
  const { replayState } = answer
  return [...chunks, ...writer.finish(reason, replayState === undefined ? {} : { replayState })]
}

const plainKinds: ReadonlySet<string> = new Set<PlainFinishKind>(['stop', 'tool-calls', 'max-tokens'])

/** A finish that nobody knows is a failure named after it, as on a wire. */
function toReason(answer: ScriptedAnswer): PlainFinishKind | FinishReason | undefined {
  const { failure, error, calls = [], finish = calls.length > 0 ? 'tool-calls' : 'stop' } = answer
  if (failure !== undefined) return { kind: 'error', failure }
  if (error !== undefined) return { kind: 'error', failure: createFailure(error.message, 'SERVER') }
  if (finish === null) return undefined
  if (isPlain(finish)) return finish
  const code = finish.toUpperCase().replaceAll('-', '_')
  return { kind: 'error', failure: createFailure(`The model finished with "${finish}"`, code) }
}

function isPlain(finish: string): finish is PlainFinishKind {
  return plainKinds.has(finish)
}

import { CallId, type StreamChunk } from 'dsh-llm'

/** A stream that breaks exactly one rule, and which. */
export interface IllegalStream {
  readonly chunks: readonly StreamChunk[]
  readonly rule: string
}

/** Makes an illegal stream of a legal one, or gives nothing if that one has no place for the fault. */
export type StreamMutation = (chunks: readonly StreamChunk[]) => IllegalStream | undefined

type Type = StreamChunk['type']

/** One mutation per way in which adapters were seen to fail. Each takes a legal stream without `attempt`. */
export const streamMutations: readonly StreamMutation[] = [
  (chunks) => ({ rule: 'R1', chunks: chunks.filter(({ type }) => type !== 'finish') }),
  (chunks) => ({ rule: 'R1', chunks: [...chunks, ...chunks.slice(-1)] }),
  (chunks) => ({ rule: 'R6', chunks: [...chunks, { type: 'usage', usage: { outputTokens: 1 } }] }),
  (chunks) => ({ rule: 'R6', chunks: [{ type: 'usage', usage: { outputTokens: -1 } }, ...chunks] }),
  (chunks) => ({
    rule: 'R6',
    chunks: [{ type: 'usage', usage: { outputTokens: 1, reasoningTokens: 2 } }, ...chunks],
  }),
  (chunks) => ({
    rule: 'R10',
    chunks: [
      { type: 'attempt', attempt: 2, failure: { code: 'SERVER', message: 'again' }, delayMs: 0 },
      ...chunks,
    ],
  }),
  change('R2', 'block-start', (chunk) => ({ ...chunk, index: chunk.index + 1 })),
  without('R3', 'block-start'),
  change('R3', 'text-delta', (chunk) => ({ ...chunk, type: 'reasoning-delta' })),
  change('R3', 'reasoning-delta', (chunk) => ({ ...chunk, type: 'text-delta' })),
  change('R4', 'block-end', (chunk) => ({ ...chunk, block: { ...chunk.block, ...lengthened(chunk.block) } })),
  twice('R4', 'block-end'),
  change('R5', 'tool-call-delta', (chunk) => ({ ...chunk, id: CallId('') })),
  change('R5', 'tool-call-delta', (chunk) => ({ ...chunk, name: undefined })),
  changeIdAtTheEnd,
  openAtEnd,
  otherKind('stop', 'tool-calls'),
  otherKind('tool-calls', 'stop'),
  (chunks) => {
    const last = chunks.at(-1)
    if (last?.type !== 'finish' || last.reason.kind !== 'stop') return undefined
    return { rule: 'R9', chunks: [last] }
  },
]

type ChunkOf<Kind extends Type> = Extract<StreamChunk, { type: Kind }>

function isOf<Kind extends Type>(chunk: StreamChunk, type: Kind): chunk is ChunkOf<Kind> {
  return chunk.type === type
}

function change<Kind extends Type>(
  rule: string,
  type: Kind,
  edit: (chunk: ChunkOf<Kind>) => StreamChunk,
): StreamMutation {
  return (chunks) => editAt(rule, chunks, { at: chunks.findIndex((chunk) => chunk.type === type), type, edit })
}

/** Only where the id can be compared: the call was closed. */
function changeIdAtTheEnd(chunks: readonly StreamChunk[]): IllegalStream | undefined {
  const at = chunks.findIndex((chunk) => chunk.type === 'block-end' && chunk.block.type === 'tool-call')
  const end = chunks[at]
  if (end?.type !== 'block-end' || end.block.type !== 'tool-call') return undefined
  const block = { ...end.block, id: CallId(`${end.block.id}-changed`) }
  return { rule: 'R5', chunks: chunks.with(at, { ...end, block }) }
}

interface Edit<Kind extends Type> {
  readonly at: number
  readonly type: Kind
  readonly edit: (chunk: ChunkOf<Kind>) => StreamChunk
}

function editAt<Kind extends Type>(
  rule: string,
  chunks: readonly StreamChunk[],
  { at, type, edit }: Edit<Kind>,
): IllegalStream | undefined {
  const chunk = chunks[at]
  return chunk !== undefined && isOf(chunk, type) ? { rule, chunks: chunks.with(at, edit(chunk)) } : undefined
}

/** Without the first opening, its deltas belong to no block; a later block would break R2 first, so there must be deltas. */
function without(rule: string, type: 'block-start'): StreamMutation {
  return (chunks) => {
    const at = chunks.findIndex((chunk) => chunk.type === type)
    const isFollowedByDelta = chunks[at + 1]?.type.endsWith('-delta') === true
    return at === -1 || !isFollowedByDelta ? undefined : { rule, chunks: chunks.toSpliced(at, 1) }
  }
}

function twice(rule: string, type: Type): StreamMutation {
  return (chunks) => {
    const at = chunks.findIndex((chunk) => chunk.type === type)
    const chunk = chunks[at]
    return chunk === undefined ? undefined : { rule, chunks: chunks.toSpliced(at, 0, chunk) }
  }
}

function lengthened(block: ChunkOf<'block-end'>['block']): object {
  return block.type === 'tool-call'
    ? { arguments: `${block.arguments} ` }
    : { text: `${'text' in block ? block.text : ''} ` }
}

/** The last block stays open under a normal end. */
function openAtEnd(chunks: readonly StreamChunk[]): IllegalStream | undefined {
  const last = chunks.at(-1)
  if (last?.type !== 'finish' || (last.reason.kind !== 'stop' && last.reason.kind !== 'tool-calls'))
    return undefined
  const at = chunks.findLastIndex((chunk) => chunk.type === 'block-end')
  const isLastBlock = chunks.findLastIndex((chunk) => chunk.type === 'block-start') < at
  return isLastBlock ? { rule: 'R7', chunks: chunks.toSpliced(at, 1) } : undefined
}

function otherKind(from: 'stop' | 'tool-calls', to: 'stop' | 'tool-calls'): StreamMutation {
  return (chunks) => {
    const last = chunks.at(-1)
    if (last?.type !== 'finish' || last.reason.kind !== from) return undefined
    return { rule: 'R8', chunks: chunks.with(-1, { ...last, reason: { kind: to } }) }
  }
}
